"""The grid of verbal arithmetic, with the counts of the course's own files."""

from collections import Counter

import pytest

from dragoman.data.corpus.generators.arithmetic import NUMBERS, make_grid, split_grid


def counts(rows):
    found = Counter(row.label for row in rows)
    return found["negative"], found["zero"], found["positive"]


def test_the_grid_has_every_sum_and_difference_once():
    rows = make_grid()
    assert len({row.text for row in rows}) == 20 * 2 * 20
    assert counts(rows) == (190, 21, 589)


def test_every_label_is_the_sign_of_the_result():
    for text, label in make_grid():
        first, operation, second = text.split()
        a, b = NUMBERS.index(first), NUMBERS.index(second)
        result = a + b if operation == "plus" else a - b
        assert label == ("negative" if result < 0 else "positive" if result else "zero")
    assert ("five minus twelve", "negative") in make_grid()


@pytest.mark.parametrize("seed", [1, 2, 42])
def test_the_parts_have_the_course_s_counts_for_any_seed(seed):
    train, valid, test = split_grid(seed)
    assert counts(train) == (100, 13, 335)
    assert counts(valid) == (43, 6, 143)
    assert counts(test) == (47, 2, 111)
    assert counts([*train, *valid]) == (143, 19, 478)
    assert {*train, *valid, *test} == {*make_grid()}


def test_the_seed_decides_which_rows_fall_where():
    assert split_grid(1) == split_grid(1)
    assert set(split_grid(1).valid) != set(split_grid(2).valid)
