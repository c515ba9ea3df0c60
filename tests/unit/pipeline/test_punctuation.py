import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.pipeline.punctuation import Punctuation

SPANISH = Punctuation(
    [("I see.", "Veo."), ("Who is it?", "¿Quién es?"), ("Go!", "¡Vete!"), ("So, yes.", "Pues, sí.")]
    * 5
)
HINDI = Punctuation(
    [("Go.", "जाओ।"), ("Who?", "कौन?"), ("A label", "एक लेबल"), ("Name:", "नाम :")] * 5
)


@pytest.mark.parametrize(
    ("source", "translation", "wanted"),
    [
        ("My house", "Mi casa.", "Mi casa"),
        ("My house.", "Mi casa", "Mi casa."),
        ("My house.", "Mi casa.", "Mi casa."),
        ("Wait…", "Espera.", "Espera…"),
        ("Name:", "Nombre.", "Nombre:"),
        ("If so,", "Si es así.", "Si es así,"),
        ("Where is Tom?", "¿Dónde está Tom.", "¿Dónde está Tom?"),
        ("Where is Tom?", "Dónde está Tom", "¿Dónde está Tom?"),
        ("Where is Tom", "¿Dónde está Tom?", "Dónde está Tom"),
        ("I know.", "¡Lo sé.", "Lo sé."),
        ("So, who?", "Pues, ¿quién?", "Pues, ¿quién?"),
        ("Really?!", "¿De verdad?", "¿De verdad?"),
    ],
)
def test_the_final_mark_follows_the_source(source, translation, wanted):
    assert SPANISH.follow(source, translation) == wanted


@pytest.mark.parametrize(
    ("source", "translation", "wanted"),
    [
        ("I go.", "मैं जाता हूँ", "मैं जाता हूँ।"),
        ("I go.", "मैं जाता हूँ.", "मैं जाता हूँ।"),
        ("Color:", "रंग", "रंग :"),
        ("A color", "एक रंग।", "एक रंग"),
        ("Come!", "आओ", "आओ!"),
    ],
)
def test_the_marks_are_those_of_the_targets(source, translation, wanted):
    assert HINDI.follow(source, translation) == wanted


@pytest.mark.parametrize(
    ("source", "translation"),
    [
        ("apples, pears, etc.", "manzanas, peras, etcétera"),
        ("He came at 5 a.m.", "Vino a las cinco"),
        ("in the United States", "en los EE.UU."),
        ("pears and the like", "peras, etc."),
        ("He said no.", "Dijo que no."),
    ],
)
def test_a_full_stop_that_belongs_to_its_word_is_left_alone(source, translation):
    assert SPANISH.follow(source, translation) == translation


@pytest.mark.parametrize(
    ("source", "translation", "wanted"),
    [
        ('He said "I see."', 'Dijo "Veo"', 'Dijo "Veo."'),
        ('He said "I see."', 'Dijo "Veo".', 'Dijo "Veo".'),
        ("A cat (black).", "Un gato (negro)", "Un gato (negro)."),
        ("A cat (black)", "Un gato (negro).", "Un gato (negro)"),
        ("<b>I see.</b>", "<b>Veo</b>", "<b>Veo</b>."),
        ("<b>I see.</b>", "<b>Veo.</b>", "<b>Veo.</b>"),
        ("Open &amp;", "Abrir &amp;", "Open &amp;".replace("Open", "Abrir")),
        ("Open {name}", "Abrir {name}.", "Abrir {name}"),
        ("Open %s.", "Abrir %s", "Abrir %s."),
    ],
)
def test_quotes_brackets_and_tags_around_a_mark_are_respected(source, translation, wanted):
    assert SPANISH.follow(source, translation) == wanted


def test_where_the_targets_have_marks_and_the_sources_none_the_network_is_left_alone():
    spoken = Punctuation([("where is tom", "¿Dónde está Tom?"), ("i see", "Veo.")] * 5)
    assert spoken.follow("my house", "Mi casa.") == "Mi casa."


def test_a_translation_of_nothing_but_a_mark_stays():
    assert SPANISH.follow("Hm", ".") == "."


PIECES = st.sampled_from(
    ["casa", "¿", "?", ".", "…", "...", " ", "!", "¡", '"', ")", "a.m.", ":", "%s"]
)
TEXTS = st.lists(PIECES, max_size=8).map("".join)


@given(TEXTS, TEXTS)
def test_following_twice_changes_nothing_more_and_no_word_is_lost(source, text):
    once = SPANISH.follow(source, text)
    assert SPANISH.follow(source, once) == once
    assert [one for one in once if one.isalnum()] == [one for one in text if one.isalnum()]


@given(TEXTS)
def test_a_question_has_both_marks_or_none(text):
    found = SPANISH.follow("Who?", f"casa {text}")
    assert ("¿" in found) <= ("?" in found)
