"""Long additions and their steps."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.errors import DataError
from dragoman.data.corpus.generators.addition import Addition, draw_additions, read_answer

NUMBERS = st.integers(0, 10**12)


def test_the_carry_is_shown_in_every_step():
    one = Addition(347, 585)
    assert one.question == "347+585="
    assert one.written(steps=False) == "932"
    assert one.written(steps=True) == "7+5+0=12,4+8+1=13,3+5+1=09,932"


@given(NUMBERS, NUMBERS)
def test_the_steps_alone_give_the_answer(first, second):
    *steps, answer = Addition(first, second).written(steps=True).split(",")
    digits, carried = "", "0"
    for step in steps:
        a, b, carry, tens, ones = re.fullmatch(r"(\d)\+(\d)\+([01])=(\d)(\d)", step).groups()
        assert carry == carried
        assert int(a) + int(b) + int(carry) == int(tens + ones)
        digits, carried = ones + digits, tens
    assert int(carried + digits) == int(answer) == first + second


@given(NUMBERS, NUMBERS, st.booleans())
def test_the_answer_is_read_back(first, second, steps):
    one = Addition(first, second)
    assert read_answer(one.written(steps=steps)) == one.answer == str(first + second)


def test_numbers_have_as_many_digits_as_asked():
    assert {len(str(n)) for one in draw_additions(300, digits=3, seed=1) for n in one} == {3}
    drawn = draw_additions(300, digits=4, fewest=1, seed=1)
    assert {len(str(one.first)) for one in drawn} == {1, 2, 3, 4}
    assert all(len(str(one.first)) == len(str(one.second)) for one in drawn)


def test_all_are_different_and_follow_from_the_seed():
    drawn = draw_additions(99, digits=1, seed=1)
    assert len(set(drawn)) == 99
    assert drawn == draw_additions(99, digits=1, seed=1)
    assert drawn != draw_additions(99, digits=1, seed=2)
    with pytest.raises(DataError, match="Ask for fewer"):
        draw_additions(101, digits=1, seed=1)
    with pytest.raises(DataError, match="have 1 to 50"):
        draw_additions(1, digits=0, seed=1)
