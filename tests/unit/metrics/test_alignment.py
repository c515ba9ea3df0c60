import numpy as np
import pytest

from dragoman.core.errors import DataError
from dragoman.metrics.alignment import alignment_error, links_from_weights

SURE = [{(0, 0), (1, 2)}, {(0, 1)}]


def test_the_gold_links_themselves_have_no_error():
    found = alignment_error(SURE, SURE)
    assert (found.error, found.precision, found.recall) == (0.0, 1.0, 1.0)
    assert (found.found, found.sure) == (3, 3)


def test_links_that_are_all_wrong_are_all_error():
    found = alignment_error([{(5, 5)}, {(7, 7)}], SURE)
    assert (found.error, found.precision, found.recall) == (1.0, 0.0, 0.0)


def test_sure_and_possible_links_count_as_the_definition_has_it():
    # A has 4 links: 2 of the 3 sure ones, 1 merely possible, 1 wrong.
    found = [{(0, 0), (1, 2), (2, 1), (9, 9)}, set()]
    possible = [{(2, 1), (3, 3)}, set()]
    score = alignment_error(found, SURE, possible)
    assert score.precision == pytest.approx(3 / 4)
    assert score.recall == pytest.approx(2 / 3)
    assert score.error == pytest.approx(1 - (2 + 3) / (4 + 3))


def test_where_all_links_are_sure_the_error_is_one_minus_f1():
    score = alignment_error([{(0, 0), (1, 1)}, {(0, 1), (3, 3)}], SURE)
    f1 = 2 * score.precision * score.recall / (score.precision + score.recall)
    assert score.error == pytest.approx(1 - f1)


def test_sets_are_counted_as_one_and_not_averaged_over_sentences():
    whole = alignment_error([{(0, 0), (1, 2)}, {(5, 5)}], SURE)
    assert whole.error == pytest.approx(1 - 4 / 6)


def test_a_link_that_is_told_twice_counts_once():
    assert alignment_error([[(0, 0), (0, 0)], []], SURE).found == 1


def test_without_links_nothing_is_wrong_and_everything_is_missed():
    none = alignment_error([set(), set()], SURE)
    assert (none.error, none.precision, none.recall) == (1.0, 1.0, 0.0)
    empty = alignment_error([], [])
    assert (empty.error, empty.precision, empty.recall) == (0.0, 1.0, 1.0)


def test_sets_of_different_lengths_are_told():
    with pytest.raises(DataError, match="1 sentences with links, 2 with sure and 2 with possible"):
        alignment_error([set()], SURE)


def test_each_target_word_is_linked_to_what_it_looks_at_most():
    weights = np.array([[0.1, 0.7, 0.2], [0.5, 0.2, 0.3]])
    assert links_from_weights(weights) == {(1, 0), (0, 1)}


def test_of_equal_weights_the_first_is_taken_and_weak_rows_have_no_link():
    weights = np.array([[0.4, 0.4, 0.2], [0.3, 0.3, 0.4], [0.0, 0.0, 0.0]])
    assert links_from_weights(weights) == {(0, 0), (2, 1), (0, 2)}
    assert links_from_weights(weights, least=0.4) == {(0, 0), (2, 1)}
    assert links_from_weights(weights, least=0.41) == set()


def test_a_sentence_without_words_has_no_links():
    assert links_from_weights(np.zeros((2, 0))) == links_from_weights(np.zeros((0, 2))) == set()
    with pytest.raises(DataError, match="no table"):
        links_from_weights(np.zeros(3))
