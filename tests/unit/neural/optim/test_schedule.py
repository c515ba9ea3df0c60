import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.config.training import ScheduleSettings
from dragoman.neural.optim.schedule import rate_share

KINDS = ["inverse-sqrt", "linear", "cosine", "constant"]
plans = st.builds(
    ScheduleSettings,
    kind=st.sampled_from(KINDS),
    warmup=st.integers(0, 500),
    floor=st.floats(0, 1),
)


@given(plans, st.integers(1, 1000), st.integers(1, 2000))
def test_the_share_is_between_nothing_and_one(plan, steps, step):
    assert 0.0 <= rate_share(step, steps, plan) <= 1.0


@given(plans, st.integers(1, 1000))
def test_it_rises_to_one_at_warmup_and_never_rises_again(plan, steps):
    shares = [rate_share(step, steps, plan) for step in range(1, steps + 2)]
    rise, fall = shares[: plan.warmup], shares[max(0, plan.warmup - 1) :]
    assert all(a < b for a, b in zip(rise, rise[1:], strict=False))
    assert all(a >= b - 1e-12 for a, b in zip(fall, fall[1:], strict=False))
    if 0 < plan.warmup <= len(shares):
        assert shares[plan.warmup - 1] == 1.0


@pytest.mark.parametrize("kind", ["linear", "cosine"])
@given(
    warmup=st.integers(0, 99),
    more=st.integers(1, 400),
    floor=st.floats(0, 1),
    late=st.integers(0, 50),
)
def test_linear_and_cosine_end_at_the_floor_and_stay(kind, warmup, more, floor, late):
    plan = ScheduleSettings(kind=kind, warmup=warmup, floor=floor)
    steps = warmup + more
    assert rate_share(steps + late, steps, plan) == pytest.approx(floor, abs=1e-12)


@pytest.mark.parametrize(("kind", "middle"), [("linear", 0.55), ("cosine", 0.55)])
def test_linear_and_cosine_are_halfway_in_the_middle(kind, middle):
    plan = ScheduleSettings(kind=kind, warmup=100, floor=0.1)
    assert rate_share(200, 300, plan) == pytest.approx(middle)


def test_cosine_lingers_at_both_ends_where_linear_does_not():
    linear, cosine = (ScheduleSettings(kind=kind, warmup=0) for kind in ("linear", "cosine"))
    assert rate_share(10, 100, cosine) > rate_share(10, 100, linear)
    assert rate_share(90, 100, cosine) < rate_share(90, 100, linear)


def test_inverse_sqrt_halves_when_the_steps_are_fourfold():
    plan = ScheduleSettings(kind="inverse-sqrt", warmup=50)
    assert rate_share(200, 1000, plan) == pytest.approx(0.5)
    assert rate_share(800, 1000, plan) == pytest.approx(0.25)


@given(st.integers(1, 5000), st.integers(1, 300), st.integers(1, 512))
def test_inverse_sqrt_is_the_schedule_of_the_paper_up_to_its_peak(step, warmup, width):
    def paper(step):
        return width**-0.5 * min(step**-0.5, step * warmup**-1.5)

    plan = ScheduleSettings(kind="inverse-sqrt", warmup=warmup)
    assert rate_share(step, 10_000, plan) == pytest.approx(paper(step) / paper(warmup))


@pytest.mark.parametrize("kind", KINDS)
def test_without_warmup_the_first_step_is_the_highest(kind):
    plan = ScheduleSettings(kind=kind, warmup=0)
    shares = [rate_share(step, 100, plan) for step in range(1, 101)]
    assert max(shares) == shares[0]
    assert shares[0] == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_shorter_than_its_warmup_only_rises(kind):
    plan = ScheduleSettings(kind=kind, warmup=100)
    shares = [rate_share(step, 40, plan) for step in range(1, 41)]
    assert shares == pytest.approx([step / 100 for step in range(1, 41)])


def test_constant_stays():
    plan = ScheduleSettings(kind="constant", warmup=3)
    assert {rate_share(step, 50, plan) for step in range(3, 51)} == {1.0}
    assert math.isclose(rate_share(1, 50, plan), 1 / 3)
