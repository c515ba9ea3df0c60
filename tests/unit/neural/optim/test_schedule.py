import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from dragoman.config.former_keys import with_new_keys
from dragoman.config.schedule import (
    Constant,
    Cosine,
    Exponential,
    InverseSqrt,
    Linear,
    Plateau,
    ScheduleSettings,
)
from dragoman.neural.optim.schedule import rate_share

KINDS = [InverseSqrt, Linear, Cosine, Constant, Exponential, Plateau]
WARMUPS, FLOORS, FACTORS = st.integers(0, 500), st.floats(0, 1), st.floats(0.01, 1)
plans = st.one_of(
    *(st.builds(kind, warmup_steps=WARMUPS, min_ratio=FLOORS) for kind in (InverseSqrt, Cosine)),
    st.builds(Linear, warmup_steps=WARMUPS, min_ratio=FLOORS, decay_steps=st.integers(0, 900)),
    st.builds(Constant, warmup_steps=WARMUPS),
    st.builds(
        Exponential,
        warmup_steps=WARMUPS,
        min_ratio=FLOORS,
        factor=FACTORS,
        every=st.integers(0, 300),
    ),
    st.builds(Plateau, warmup_steps=WARMUPS, min_ratio=FLOORS, factor=FACTORS),
)


@given(plans, st.integers(1, 1000), st.integers(1, 2000), st.integers(0, 99), st.integers(0, 99))
def test_the_share_is_between_nothing_and_one(plan, steps, step, epochs, plateaus):
    assert 0.0 <= rate_share(step, steps, plan, epochs, plateaus) <= 1.0


@given(plans, st.integers(1, 1000), st.integers(501, 2000), st.integers(0, 99), st.integers(0, 99))
def test_after_warmup_it_never_falls_below_the_floor(plan, steps, step, epochs, plateaus):
    floor = getattr(plan, "min_ratio", 1.0)
    assert rate_share(step, steps, plan, epochs, plateaus) >= floor


@given(plans, st.integers(1, 1000))
def test_it_rises_to_one_at_warmup_and_never_rises_again(plan, steps):
    shares = [rate_share(step, steps, plan) for step in range(1, steps + 2)]
    rise, fall = shares[: plan.warmup_steps], shares[max(0, plan.warmup_steps - 1) :]
    assert all(a < b for a, b in zip(rise, rise[1:], strict=False))
    assert all(a >= b - 1e-12 for a, b in zip(fall, fall[1:], strict=False))
    if 0 < plan.warmup_steps <= len(shares):
        assert shares[plan.warmup_steps - 1] == 1.0


@pytest.mark.parametrize("kind", [Linear, Cosine])
@given(
    warmup=st.integers(0, 99),
    more=st.integers(1, 400),
    floor=st.floats(0, 1),
    late=st.integers(0, 50),
)
def test_linear_and_cosine_end_at_the_floor_and_stay(kind, warmup, more, floor, late):
    plan = kind(warmup_steps=warmup, min_ratio=floor)
    steps = warmup + more
    assert rate_share(steps + late, steps, plan) == pytest.approx(floor, abs=1e-12)


@pytest.mark.parametrize(("kind", "middle"), [(Linear, 0.55), (Cosine, 0.55)])
def test_linear_and_cosine_are_halfway_in_the_middle(kind, middle):
    plan = kind(warmup_steps=100, min_ratio=0.1)
    assert rate_share(200, 300, plan) == pytest.approx(middle)


def test_cosine_lingers_at_both_ends_where_linear_does_not():
    linear, cosine = Linear(warmup_steps=0), Cosine(warmup_steps=0)
    assert rate_share(10, 100, cosine) > rate_share(10, 100, linear)
    assert rate_share(90, 100, cosine) < rate_share(90, 100, linear)


def test_inverse_sqrt_halves_when_the_steps_are_fourfold():
    plan = InverseSqrt(warmup_steps=50)
    assert rate_share(200, 1000, plan) == pytest.approx(0.5)
    assert rate_share(800, 1000, plan) == pytest.approx(0.25)


@given(st.integers(1, 5000), st.integers(1, 300), st.integers(1, 512))
def test_inverse_sqrt_is_the_schedule_of_the_paper_up_to_its_peak(step, warmup, width):
    def paper(step):
        return width**-0.5 * min(step**-0.5, step * warmup**-1.5)

    plan = InverseSqrt(warmup_steps=warmup)
    assert rate_share(step, 10_000, plan) == pytest.approx(paper(step) / paper(warmup))


@pytest.mark.parametrize("kind", KINDS)
def test_without_warmup_the_first_step_is_the_highest(kind):
    plan = kind(warmup_steps=0)
    shares = [rate_share(step, 100, plan) for step in range(1, 101)]
    assert max(shares) == shares[0]
    assert shares[0] == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_shorter_than_its_warmup_only_rises(kind):
    plan = kind(warmup_steps=100)
    shares = [rate_share(step, 40, plan) for step in range(1, 41)]
    assert shares == pytest.approx([step / 100 for step in range(1, 41)])


def test_constant_stays():
    plan = Constant(warmup_steps=3)
    assert {rate_share(step, 50, plan) for step in range(3, 51)} == {1.0}
    assert math.isclose(rate_share(1, 50, plan), 1 / 3)


@given(st.integers(0, 200), st.integers(1, 100), st.floats(0, 1), st.floats(1e-6, 10))
def test_linear_over_some_steps_mixes_the_first_and_the_last_rate(step, over, floor, rate):
    mixed = min(1.0, step / over)
    expected = (1 - mixed) * rate + mixed * (floor * rate)
    plan = Linear(warmup_steps=30, decay_steps=over, min_ratio=floor)
    assert rate * rate_share(30 + step, 1000, plan) == pytest.approx(expected, abs=1e-12)


def test_linear_over_all_steps_is_linear_as_it_was():
    for step in range(1, 101):
        whole = rate_share(step, 100, Linear(warmup_steps=20, decay_steps=80, min_ratio=0.1))
        assert rate_share(step, 100, Linear(warmup_steps=20, min_ratio=0.1)) == whole


@pytest.mark.parametrize(("factor", "every"), [(0.9, 1), (0.5, 7), (1.0, 3)])
def test_exponential_is_torch_s_decay_by_steps(factor, every):
    weight = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([weight], 1.0)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, every, factor)
    plan = Exponential(warmup_steps=0, factor=factor, every=every)
    for step in range(1, 40):
        assert rate_share(step, 40, plan) == pytest.approx(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()


def test_exponential_by_epochs_needs_only_their_number():
    plan = Exponential(warmup_steps=5, factor=0.99, min_ratio=0.9)
    assert [rate_share(9, 100, plan, epochs) for epochs in (0, 1, 2)] == [1.0, 0.99, 0.99**2]
    assert rate_share(9, 100, plan, 50) == 0.9
    assert rate_share(3, 100, plan, 1) == 3 / 5


def test_plateau_falls_by_its_factor_for_each_plateau():
    plan = Plateau(warmup_steps=5, factor=0.5, min_ratio=0.1)
    shares = [rate_share(9, 100, plan, 7, plateaus) for plateaus in range(5)]
    assert shares == [1.0, 0.5, 0.25, 0.125, 0.1]


READ = TypeAdapter(ScheduleSettings).validate_python


@pytest.mark.parametrize("kind", ["inverse-sqrt", "linear", "cosine", "constant"])
def test_what_older_runs_wrote_down_still_reads(kind):
    stored = {"schedule": {"kind": kind, "warmup": 20, "floor": 0.0}}
    assert READ(with_new_keys(stored)[0]["schedule"]).warmup_steps == 20


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("cosine", "factor"),
        ("cosine", "decay_steps"),
        ("constant", "min_ratio"),
        ("inverse-sqrt", "every"),
        ("exponential", "patience"),
        ("plateau", "every"),
    ],
)
def test_a_key_that_would_do_nothing_is_refused(kind, key):
    with pytest.raises(ValidationError, match=key):
        READ({"kind": kind, key: 1})
