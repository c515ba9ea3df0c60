import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.errors import DataError
from dragoman.metrics.calibration import (
    brier_score,
    calibration_error,
    error_by_chance,
    reliability,
)
from dragoman.metrics.share import wilson_interval


def error_written_out(said, came, bins):
    """The definition, bin by bin: a bin takes what lies from its lower end to below its upper."""
    total = 0.0
    for number in range(bins):
        low, high = number / bins, (number + 1) / bins
        inside = [
            (p, c)
            for p, c in zip(said, came, strict=True)
            if low <= p < high or (number == bins - 1 and p == 1)
        ]
        if inside:
            apart = abs(np.mean([p for p, _ in inside]) - np.mean([c for _, c in inside]))
            total += len(inside) / len(said) * apart
    return total


answers = st.lists(
    st.tuples(st.integers(0, 999).map(lambda n: (n + 0.5) / 1000), st.booleans()),
    min_size=1,
    max_size=60,
)


@given(answers, st.integers(1, 20))
def test_the_error_is_its_definition(pairs, bins):
    said, came = zip(*pairs, strict=True)
    assert calibration_error(said, came, bins) == pytest.approx(error_written_out(said, came, bins))


@given(answers)
def test_the_curve_holds_every_answer_once_and_gives_the_error(pairs):
    said, came = zip(*pairs, strict=True)
    curve = reliability(said, came)
    assert sum(one.count for one in curve) == len(pairs)
    assert [one.said for one in curve] == sorted(one.said for one in curve)
    error = sum(one.count * abs(one.said - one.came) for one in curve) / len(pairs)
    assert calibration_error(said, came) == pytest.approx(error)
    for one in curve:
        assert (one.low, one.high) == wilson_interval(round(one.came * one.count), one.count)


def test_certain_and_right_has_no_error_and_certain_and_wrong_has_all():
    assert calibration_error([0.0, 1.0], [False, True]) == 0
    assert calibration_error([0.0, 1.0], [True, False]) == 1
    assert brier_score([0.0, 1.0, 0.5], [True, False, True]) == pytest.approx((1 + 1 + 0.25) / 3)


def test_true_probabilities_err_by_chance_alone_and_less_the_more_there_are():
    random = np.random.default_rng(5)
    said = random.random(2000)
    expected = error_by_chance(said)
    assert calibration_error(said, random.random(2000) < said) == pytest.approx(expected, abs=0.015)
    assert error_by_chance(said[:200]) > 2 * expected
    assert expected == error_by_chance(said)


@pytest.mark.parametrize(
    ("said", "came"), [([], []), ([0.5], []), ([1.5], [True]), ([float("nan")], [True])]
)
def test_what_is_no_probability_is_refused(said, came):
    with pytest.raises(DataError, match="calibration: "):
        calibration_error(said, came)
