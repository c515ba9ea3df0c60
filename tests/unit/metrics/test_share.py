from math import sqrt

import pytest

from dragoman.core.errors import DataError
from dragoman.metrics.share import Z, wilson_interval


def refused(seen, answers, true):
    """Whether a test at 95 % would refuse a true share, having seen another."""
    return abs(seen - true) > Z * sqrt(true * (1 - true) / answers)


@pytest.mark.parametrize(("right", "answers"), [(0, 10), (3, 10), (143, 192), (10, 10), (1, 1)])
def test_the_interval_holds_just_what_would_not_be_refused(right, answers):
    low, high = wilson_interval(right, answers)
    assert 0 <= low <= right / answers <= high <= 1
    for end, outwards in ((low, -1e-6), (high, 1e-6)):
        if 0 < end + outwards < 1:
            assert refused(right / answers, answers, end + outwards)
        if 0 < end - outwards < 1:
            assert not refused(right / answers, answers, end - outwards)


def test_a_known_interval():
    assert wilson_interval(81, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)  # Newcombe 1998


def test_more_answers_make_it_narrower():
    few, many = (wilson_interval(8 * n, 10 * n) for n in (1, 100))
    assert many[1] - many[0] < (few[1] - few[0]) / 5


@pytest.mark.parametrize(("right", "answers"), [(0, 0), (3, 2), (-1, 5)])
def test_no_share_has_no_interval(right, answers):
    with pytest.raises(DataError, match="is no share"):
        wilson_interval(right, answers)
