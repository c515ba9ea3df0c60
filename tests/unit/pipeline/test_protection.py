import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.data.documents.document import TextSpan
from dragoman.data.formats.protected_spans import plain_digits
from dragoman.pipeline.preservation import MOST_SOUGHT, holds, survives
from dragoman.pipeline.protection import add_placeholders, by_parts
from dragoman.tasks.translation.requests import run_coroutine

THINGS = ["%s", "%d", "{name}", "<b>", "</b>", "7 km", "a@b.org"]
WORDS = st.sampled_from([*THINGS, "open", "the", "."])
TEXTS = st.lists(WORDS, min_size=1, max_size=24).map(" ".join)
ANY_THING = re.compile("|".join(map(re.escape, THINGS)))
"""What the texts of these tests may hold, found without the code that is tested."""


def things_of(text):
    return Counter(ANY_THING.findall(text))


def test_what_must_survive_is_shown_as_symbols_and_comes_back():
    one = add_placeholders("Move %s to {place}", symbols=True)
    assert one.shown == "Move ｟0｠ to ｟1｠"
    assert one.restored("nach ｟1｠ geht ｟0｠") == "nach {place} geht %s"


def test_a_lost_doubled_or_strange_symbol_is_noticed():
    one = add_placeholders("Move %s to {place}", symbols=True)
    for wrong in ("nach ｟1｠", "｟0｠ ｟0｠ ｟1｠", "｟0｠ ｟1｠ ｟2｠", "nichts"):
        assert one.restored(wrong) is None


@pytest.mark.parametrize("symbols", [True, False])
@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        ("Open %s", "%s खोलें %s"),
        ("Open", "%s खोलें"),
        ("Open", "{name} खोलें"),
        ("Open", "<b>खोलें"),
        ("Open", "खोलें https://a.org"),
        ("Open", "--all खोलें"),
        ("Open", "खोलें &amp;"),
        ("Open {a}", "{a} {b} खोलें"),
        ("Open <b>it</b>", "<b>खोलें</b></b>"),
        ("See a@b.org", "a@b.org c@d.org देखें"),
    ],
)
def test_what_is_doubled_or_made_up_is_noticed(source, wrong, symbols):
    one = add_placeholders(source, symbols=symbols)
    shown = wrong
    for thing, symbol in zip(one.hidden, one.symbols, strict=True):
        shown = shown.replace(thing.text, symbol, 1)
    assert one.restored(shown) is None
    assert not survives(source, wrong)


def test_numbers_and_joined_words_may_come():
    assert survives("two files", "2 फ़ाइलें")
    assert survives("Input and output", "Ein- und -ausgabe")
    assert not survives("use -all", "nutze es")


def test_what_takes_its_value_by_its_place_may_not_change_places():
    one = add_placeholders("%s has %d files", symbols=True)
    assert one.restored("｟1｠ bei ｟0｠") is None
    numbered = add_placeholders("%1$s has %2$d files", symbols=True)
    assert numbered.restored("｟1｠ bei ｟0｠") == "%2$d bei %1$s"
    assert survives("Page %1 (%2 of %L3)", "%L3 में से %2 (पृष्ठ %1)")
    assert not survives("%5d of %s", "%s में से %5d")


def test_numbers_are_left_to_the_network_and_checked():
    one = add_placeholders("Wait 42 minutes", symbols=True)
    assert one.shown == "Wait 42 minutes"
    assert one.restored("४२ मिनट रुकें") == "४२ मिनट रुकें"
    assert one.restored("42 min warten") == "42 min warten"
    assert one.restored("कुछ मिनट रुकें") is None
    assert (
        add_placeholders("Wait 42 minutes", symbols=True, numbers=True).shown
        == "Wait ｟0｠ minutes"
    )


def test_without_symbols_the_things_themselves_are_shown_and_checked():
    one = add_placeholders("Move %s", symbols=False)
    assert one.shown == "Move %s"
    assert one.restored("%s bewegen") == "%s bewegen"
    assert one.restored("bewegen") is None


def test_a_thing_inside_a_longer_one_is_no_survivor():
    for source, wrong in [
        ("12 cats", "122 gatos"),
        ("3 dogs", "3.5 perros"),
        ("a@b.org", "a@b.organ"),
    ]:
        assert add_placeholders(source, symbols=False).restored(wrong) is None
    assert add_placeholders(r"a\nThere %dpx", symbols=False).restored(r"Da\nDa %dpx") is not None
    assert (
        add_placeholders("5 km far", symbols=False).restored("5\u00a0km weit") == "5\u00a0km weit"
    )


@pytest.mark.parametrize(
    ("source", "translation"),
    [
        ("Chapter 42", "第42章"),
        ("use --all here", "用--all選項"),
        ("See https://a.org/b now", "请看https://a.org/b文件"),
        ("Write to a@b.org", "给a@b.org写信"),
        ("https://hi.wikipedia.org/wiki/मुख is it", "यह https://hi.wikipedia.org/wiki/मुख है"),
    ],
)
def test_letters_of_another_script_may_touch_what_survives(source, translation):
    assert survives(source, translation)


def test_code_is_kept_as_it_stands():
    one = add_placeholders("Type ls -l now", [TextSpan(5, 10)], symbols=True)
    assert one.shown == "Type ｟0｠ now"
    assert one.restored("Jetzt ｟0｠ tippen") == "Jetzt ls -l tippen"
    bare = add_placeholders("Type ls -l now", [TextSpan(5, 10)], symbols=False)
    assert bare.restored("Jetzt ls -l tippen") == "Jetzt ls -l tippen"
    assert bare.restored("Jetzt ls tippen") is None


def test_what_stands_inside_code_is_not_made_up():
    source = 'call f("%s", --all) now'
    one = add_placeholders(source, [TextSpan(5, 19)], symbols=True)
    assert one.restored("jetzt ｟0｠ rufen") == 'jetzt f("%s", --all) rufen'


def test_too_many_pieces_of_code_are_not_looked_for_one_by_one():
    texts = [f"name{number}" for number in range(MOST_SOUGHT + 1)]
    assert holds(texts[1:], " ".join(texts))
    assert not holds(texts, " ".join(texts))


@given(TEXTS, st.text(max_size=6), TEXTS)
def test_translated_in_parts_nothing_is_ever_lost_or_added(text, said, invented):
    def careless(parts):
        yield from ()
        return [f"｟3｠ {said} {invented} wort" for _ in parts]

    one = add_placeholders(text, symbols=True, numbers=True)
    found = run_coroutine(None, by_parts(one, careless))
    assert survives(text, found)
    hard = things_of(found) - Counter({"7 km": 1000})
    assert hard == things_of(text) - Counter({"7 km": 1000})
    assert "｟" not in found or "｟" in said


@given(TEXTS)
def test_the_source_itself_survives(text):
    assert survives(text, plain_digits(text))
    assert survives(plain_digits(text), text)


@given(TEXTS, st.data())
def test_one_thing_more_or_less_is_noticed(text, data):
    words = text.split(" ")
    place = data.draw(st.integers(0, len(words)))
    thing = data.draw(st.sampled_from([one for one in THINGS if one != "7 km"]))
    assert not survives(text, " ".join([*words[:place], thing, *words[place:]]))
    assert not survives(" ".join([*words[:place], thing, *words[place:]]), text)
