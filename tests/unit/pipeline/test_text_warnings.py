import random

import pytest

from dragoman.pipeline.scripts import Scripts
from dragoman.pipeline.text_warnings import SHOWN, TextWarning, TrainingDomain, warning_lines

ENGLISH = str.split(
    "the boy is reading a book in the house where his old mother cooks and sings every morning "
    "while we walk to the river with our friends because they want to see that small boat again"
)


def sentences(words, count, seed=1):
    chance = random.Random(seed)
    return [" ".join(chance.choices(words, k=chance.randint(4, 9))) for _ in range(count)]


HELD_OUT = sentences(ENGLISH, 400)
SPANISH = "El niño está leyendo un libro en la casa de su madre y quiere verlo mañana."


@pytest.fixture(scope="module")
def domain():
    words = dict.fromkeys(ENGLISH, 3)
    held_out = [f"{one} robin" if number % 25 == 0 else one for number, one in enumerate(HELD_OUT)]
    return TrainingDomain(words, held_out, "en", Scripts(held_out, ["यह एक किताब है"]))


def test_text_like_the_held_out_sources_is_not_warned_of(domain):
    warned = [one for one in sentences(ENGLISH, 200, seed=2) if domain.check(one)]
    assert not warned
    assert domain.check("The boy, 42 %s {name} https://a.org/strange — BOOK!") is None
    assert domain.check("") is None


def test_words_that_training_never_had_are_warned_of_and_named(domain):
    warning = domain.check("the florbish grumbel is reading a snirk wemble quandle")
    assert warning is not None
    assert warning.kind == "domain"
    assert "5 of 8 words" in warning.text
    assert "florbish, grumbel, snirk, …" in warning.text
    assert "\n" not in warning.text


def test_as_many_unknown_words_as_are_usual_pass(domain):
    assert domain.check("the boy is reading a book in the house robin") is None


def test_another_language_is_warned_of_where_the_text_is_long_enough(domain):
    warning = domain.check(SPANISH)
    assert warning is not None
    assert (warning.kind, warning.text) == (
        "language",
        "looks like Spanish, where the model reads English",
    )
    short = domain.check("la casa")
    assert short is None or short.kind == "domain"


def test_a_recipe_that_names_the_wrong_language_warns_of_none():
    texts = sentences(SPANISH.split(), 200)
    said = TrainingDomain({}, texts, "en")
    assert said.check(SPANISH) is None
    assert TrainingDomain({}, texts, "es").check(SPANISH) is None
    assert TrainingDomain({}, texts, "tlh").check(SPANISH) is None


def test_a_language_that_a_short_line_does_not_tell_apart_is_not_warned_of():
    czech = ["Chlapec čte knihu v domě své staré matky každé ráno a zpívá."] * 60
    slovak = "Chlapec číta knihu v dome svojej starej matky každé ráno a spieva."
    assert TrainingDomain({}, czech, "cs").check(slovak) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("यह एक किताब है", "Devanagari, as translations are: left as it is"),
        ("Привет, мир", "Cyrillic, which the model does not read"),
        ("the book: Привет, мир, дорогие друзья", "Cyrillic"),
    ],
)
def test_a_script_that_the_sources_never_use_is_warned_of(domain, text, words):
    warning = domain.check(text)
    assert warning is not None
    assert warning.kind == "script"
    assert words in warning.text


def test_a_word_in_another_script_inside_a_text_is_not(domain):
    assert domain.check("the boy is reading мир in the house") is None


def test_without_training_text_and_held_out_sources_nothing_is_said():
    assert TrainingDomain({}, []).check(SPANISH) is None
    assert TrainingDomain({"boy": 1}, ["boy"] * 10, "en").check("florbish grumbel") is None


def test_a_text_of_many_words_is_weighed_too(domain):
    assert domain.check(" ".join(ENGLISH * 100)) is None
    warning = domain.check(" ".join([*ENGLISH * 100, *["florbish"] * 2000]))
    assert warning is not None


def test_the_first_warnings_are_shown_and_the_rest_counted():
    warned = [(f"line {number}", TextWarning("domain", "is odd")) for number in range(1, 8)]
    lines = warning_lines(warned, 107)
    assert lines[:2] == ["line 1: is odd", "line 2: is odd"]
    assert len(lines) == SHOWN + 1
    assert lines[-1] == "… and 102 more"
    assert warning_lines(warned[:SHOWN], SHOWN)[-1] == f"line {SHOWN}: is odd"
    assert warning_lines([], 0) == []
