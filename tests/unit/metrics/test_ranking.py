import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from dragoman.core.errors import DataError
from dragoman.metrics.ranking import area_under_curve, best_threshold

JUDGED = st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=2, max_size=25).filter(
    lambda rows: len({right for _, right in rows}) == 2
)


@settings(max_examples=60, deadline=None)
@given(JUDGED)
def test_the_area_is_that_of_its_definition_and_of_scipy(rows):
    good = [score for score, right in rows if right]
    bad = [score for score, right in rows if not right]
    wins = sum((a > b) + (a == b) / 2 for a in good for b in bad)
    found = area_under_curve(*zip(*rows, strict=True))
    assert found == pytest.approx(wins / len(good) / len(bad))
    assert found == pytest.approx(mannwhitneyu(good, bad).statistic / len(good) / len(bad))


@settings(max_examples=60, deadline=None)
@given(JUDGED)
def test_no_other_threshold_calls_more_of_them_what_they_are(rows):
    def called(threshold):
        return sum((score > threshold) == right for score, right in rows)

    found = best_threshold(*zip(*rows, strict=True))
    assert called(found) == max(map(called, [n / 2 for n in range(-8, 9)]))


def test_the_ends_are_perfect_chance_and_perfectly_wrong():
    assert area_under_curve([1, 2, 3, 4], [False, False, True, True]) == 1.0
    assert area_under_curve([1, 1, 1, 1], [False, False, True, True]) == 0.5
    assert area_under_curve([4, 3, 2, 1], [False, False, True, True]) == 0.0
    assert best_threshold([1, 2, 3, 4], [False, False, True, True]) == 2.5


@pytest.mark.parametrize("right", [[True, True], [False, False], [True]])
def test_things_of_one_kind_cannot_be_ranked(right):
    with pytest.raises(DataError, match="right and wrong"):
        area_under_curve([1.0, 2.0], right)
