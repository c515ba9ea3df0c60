"""Distinct draws."""

import pytest

from dragoman.core.errors import DataError
from dragoman.data.corpus.generators.sampling import draw_distinct


def throw(random):
    return random.randint(1, 6)


def test_all_there_is_can_be_drawn_each_once():
    assert sorted(draw_distinct(throw, 6, seed="dice/1")) == [1, 2, 3, 4, 5, 6]


def test_the_seed_decides_the_order():
    assert draw_distinct(throw, 6, seed="dice/1") == draw_distinct(throw, 6, seed="dice/1")
    orders = {tuple(draw_distinct(throw, 6, seed=f"dice/{n}")) for n in range(9)}
    assert len(orders) > 1


def test_what_is_in_another_set_is_not_drawn():
    assert sorted(draw_distinct(throw, 4, seed="dice/1", without=[2, 5])) == [1, 3, 4, 6]


def test_more_than_there_is_is_one_line():
    with pytest.raises(DataError, match=r"dice/1: there are only 6 .* not 7\. Ask for fewer\."):
        draw_distinct(throw, 7, seed="dice/1")


def test_none_are_drawn_where_none_are_wanted():
    assert draw_distinct(throw, 0, seed="dice/1") == []
