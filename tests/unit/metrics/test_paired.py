import numpy as np
import pytest

from dragoman.core.errors import DataError
from dragoman.metrics.paired import paired_difference


def test_equal_answers_differ_by_nothing():
    found = paired_difference([True, False] * 20, [True, False] * 20)
    assert (found.difference, found.low, found.high) == (0, 0, 0)
    assert not found.sure


def test_the_interval_is_that_of_drawing_the_things_one_by_one():
    drawn = np.random.default_rng(2)
    first = drawn.random(190) < 0.3
    second = np.where(drawn.random(190) < 0.6, first, drawn.random(190) < 0.5)
    found = paired_difference(first.tolist(), second.tolist())
    places = drawn.integers(0, 190, (20_000, 190))
    gains = (second[places].mean(axis=1) - first[places].mean(axis=1)).tolist()
    assert found.difference == pytest.approx(second.mean() - first.mean())
    assert (found.low, found.high) == pytest.approx(np.quantile(gains, [0.025, 0.975]), abs=0.006)


def test_what_is_paired_is_told_apart_where_shares_alone_are_not():
    first = [True] * 60 + [False] * 130
    second = [True] * 72 + [False] * 118
    assert paired_difference(first, second).sure
    assert not paired_difference(first, second[::-1]).sure


def test_answers_about_other_things_are_refused():
    with pytest.raises(DataError, match="not of the same things"):
        paired_difference([True], [True, False])
