from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.core.errors import DataError
from dragoman.metrics.retrieval import chance_of, ranks, retrieval


def scored(*rows):
    """Each question's scores, with a star at those of right candidates."""
    scores = np.array([[float(cell.strip("*")) for cell in row.split()] for row in rows])
    return scores, np.array([[cell.endswith("*") for cell in row.split()] for row in rows])


def test_a_rank_is_the_place_of_the_best_right_candidate():
    assert ranks(*scored("3 9* 1", "5 4 2*", "7* 8 6*")).tolist() == [1, 3, 2]


def test_equal_scores_stand_in_any_order():
    assert ranks(*scored("5 5* 5", "5* 5 5*")).tolist() == [2, 4 / 3]


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 5), st.data())
def test_the_expected_rank_is_that_of_all_orders(candidates, data):
    row = data.draw(st.lists(st.integers(0, 2), min_size=candidates, max_size=candidates))
    right = data.draw(st.lists(st.booleans(), min_size=candidates, max_size=candidates))
    right[0] = True
    places = []
    for order in permutations(range(candidates)):
        ranked = sorted(order, key=lambda place: -row[place])
        places.append(1 + next(n for n, place in enumerate(ranked) if right[place]))
    found = ranks(np.array([row], dtype=float), np.array([right]))[0]
    assert found == pytest.approx(np.mean(places))


def test_a_network_that_finds_all_alike_gets_no_credit():
    found = retrieval(np.zeros((50, 50)), np.eye(50, dtype=bool))
    assert found.recall == {1: 0, 5: 0, 10: 0}
    assert found.median_rank == found.chance_median == 25.5


def test_a_perfect_one_gets_all():
    found = retrieval(np.eye(30), np.eye(30, dtype=bool))
    assert found.recall == {1: 1, 5: 1, 10: 1}
    assert found.median_rank == 1
    assert found.chance == pytest.approx({1: 1 / 30, 5: 5 / 30, 10: 10 / 30})


def test_random_scores_come_to_chance():
    drawn = np.random.default_rng(3)
    right = np.zeros((4000, 20), dtype=bool)
    right[:, :2] = True
    right[::2, 1] = False  # half of the questions have one answer, half two
    found = retrieval(drawn.random((4000, 20)), right)
    for first in (1, 5, 10):
        assert found.recall[first] == pytest.approx(found.chance[first], abs=0.03)
        low, high = found.intervals[first]
        assert low < found.recall[first] < high


def test_chance_is_counted_out():
    assert chance_of(10, 1, 1) == pytest.approx(0.1)
    assert chance_of(4, 2, 2) == pytest.approx(1 - 1 / 6)
    assert chance_of(3, 1, 5) == 1.0


def test_a_question_without_an_answer_is_refused():
    with pytest.raises(DataError, match="an answer"):
        ranks(np.ones((2, 3)), np.array([[True, False, False], [False] * 3]))


def test_an_answer_that_is_right_for_many_is_no_merit():
    right = np.zeros((10, 20), dtype=bool)
    right[:6, 3] = True
    right[range(6, 10), range(6, 10)] = True
    blindly = np.tile(right.sum(axis=0), (10, 1)).astype(float)
    found = retrieval(blindly, right)
    assert found.commonest[1] == found.blind[1] == found.recall[1] == 0.6
    assert found.chance[1] == pytest.approx(1 / 20)
