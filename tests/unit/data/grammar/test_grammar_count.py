"""The closed form against brute force."""

from dataclasses import replace

import pytest

from dragoman.data.grammar.choices.mixture import mixture
from dragoman.data.grammar.choices.sentences import SentenceSpaces
from dragoman.data.grammar.choices.spaces import Build, Items, Union, just, maybe
from dragoman.data.grammar.lexicon.lexicon import WHOLE
from dragoman.data.grammar.sample import count, realize


def of(words, *english):
    return tuple(word for word in words if word.english in english)


TINY = replace(
    WHOLE,
    men=of(WHOLE.men, "boy"),
    women=WHOLE.women[:1],
    kin=(),
    names=(WHOLE.names[0], WHOLE.names[7]),
    titled=(),
    animals=WHOLE.animals[:1],
    professions=WHOLE.professions[:1],
    things=of(WHOLE.things, "apple", "table"),
    named=(),
    places=of(WHOLE.places, "house", "school"),
    cities=(),
    adjectives=of(WHOLE.adjectives, "tired", "rich", "brave"),
    verbs=of(WHOLE.verbs, "arrive", "sleep", "rest", "cry"),
    likings=WHOLE.likings[:1],
    feelings=WHOLE.feelings[:1],
    times=WHOLE.times[:1],
    frequencies=WHOLE.frequencies[:1],
    manners=WHOLE.manners[:1],
    numerals=WHOLE.numerals[:1],
    vocatives=WHOLE.vocatives[:1],
)


def test_sizes_add_and_multiply():
    space = Union((1, Items("ab")), (1, Build(str.__add__, Items("cd"), maybe_empty())))
    assert space.size == 2 + 2 * 2
    assert sorted(space) == ["a", "b", "c", "cx", "d", "dx"]


def maybe_empty():
    return Union((1, just("")), (1, just("x")))


def test_an_optional_value_adds_one():
    assert maybe(Items("abc"), 0.5).size == 4
    assert maybe(Items("abc"), 0).size == 1


def test_the_closed_form_equals_enumeration_of_a_small_grammar():
    space = mixture(replace(TINY, verbs=of(WHOLE.verbs, "eat", "sleep", "meet")), 1)
    sources = {realize(tree).source for tree in space}
    assert len(sources) == space.size > 1000


@pytest.mark.parametrize(
    "name",
    ["habitual", "perfect", "identity", "existence", "dative", "superlative", "imperative"],
)
def test_the_closed_form_equals_enumeration_of_one_construction(name):
    space = SentenceSpaces(TINY, 3).constructions()[name]()
    sources = {realize(tree).source for tree in space}
    assert len(sources) == space.size > 0


MINUTE = ("rest", "go home", "come home", "stay at home", "run")
MICRO = replace(
    TINY,
    verbs=tuple(v for v in WHOLE.verbs if v.name in MINUTE),
    adjectives=of(WHOLE.adjectives, "tired"),
    times=(),
    manners=(),
    likings=(),
    professions=(),
)


@pytest.mark.parametrize(
    "name",
    [
        *("relative", "when", "condition", "unreal condition", "because", "so", "but"),
        *("coordination", "sequence"),
        pytest.param("that", marks=pytest.mark.slow),
    ],
)
def test_the_closed_form_equals_enumeration_of_a_complex_construction(name):
    space = SentenceSpaces(MICRO, 4).constructions()[name]()
    sources = {realize(tree).source for tree in space}
    assert len(sources) == space.size > 0


@pytest.mark.slow
def test_there_are_more_than_ten_million_sentences_and_difficulty_adds_to_them():
    counts = [count(difficulty) for difficulty in (1, 2, 3, 4, 5)]
    assert counts == sorted(counts)
    assert counts[0] > 10_000_000
