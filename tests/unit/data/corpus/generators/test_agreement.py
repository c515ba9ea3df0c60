"""Subjects, verbs and the nouns between them."""

from collections import Counter

import pytest

from dragoman.core.errors import DataError
from dragoman.data.corpus.generators.agreement import PEOPLE, THINGS, draw_agreements

NUMBER = {
    form: number
    for noun in (*PEOPLE, *THINGS)
    for form, number in zip(noun, ("singular", "plural"), strict=True)
}


def nouns(text):
    """The number of each noun of a sentence, the head's first."""
    return [NUMBER[word] for word in text.split() if word in NUMBER]


@pytest.fixture(scope="module")
def drawn():
    return draw_agreements(600, seed=1)


def test_the_label_is_the_number_of_the_first_noun(drawn):
    for one in drawn:
        head, *between = nouns(one.text)
        assert one.label == head
        assert len(between) == one.distractors
        assert sum(number != head for number in between) == one.attractors


def test_the_right_verb_agrees_and_the_wrong_one_does_not(drawn):
    singular = {"is", "was", "has"}
    for one in drawn:
        assert (one.right in singular) == (one.label == "singular")
        assert (one.wrong in singular) == (one.label == "plural")
        assert one.good.replace(f" {one.right} ", f" {one.wrong} ") == one.bad
        assert one.good[0].isupper()
        assert one.good.endswith(".")


def test_nothing_but_the_head_tells_the_number(drawn):
    """What stands between head and verb is singular as often as plural, whatever the head is."""
    for label in ("singular", "plural"):
        between = Counter(n for d in drawn if d.label == label for n in nouns(d.text)[1:])
        assert 0.42 < between["singular"] / between.total() < 0.58
    assert 0.42 < sum(one.label == "plural" for one in drawn) / len(drawn) < 0.58


def test_no_other_word_has_a_number(drawn):
    words = {word for one in drawn for word in one.text.split()} - set(NUMBER)
    assert words.isdisjoint({"is", "are", "was", "were", "has", "have", "a", "this", "these"})


@pytest.mark.parametrize("distractors", range(5))
def test_as_many_distractors_as_asked_all_opposite_if_asked(distractors):
    drawn = draw_agreements(50, seed=1, distractors=distractors, opposite=True)
    assert {(d.distractors, d.attractors) for d in drawn} == {(distractors, distractors)}


def test_all_are_different_and_follow_from_the_seed(drawn):
    assert len(set(drawn)) == 600
    assert draw_agreements(600, seed=1) == drawn
    assert draw_agreements(600, seed=2) != drawn
    assert {one.distractors for one in drawn} == {0, 1, 2, 3, 4}


def test_a_number_of_distractors_that_cannot_be_is_one_line():
    with pytest.raises(DataError, match="have 0 to 4"):
        draw_agreements(1, seed=1, distractors=5)
