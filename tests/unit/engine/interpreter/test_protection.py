from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from dragoman.data.documents.document import Stretch
from dragoman.data.formats.protected import plain_digits, protected
from dragoman.engine.interpreter.protection import in_parts, shield, survives

WORDS = st.sampled_from(
    ["open", "the", "%s", "%d", "{name}", "<b>", "</b>", "7 km", "a@b.org", "."]
)
TEXTS = st.lists(WORDS, min_size=1, max_size=24).map(" ".join)


def test_what_must_survive_is_shown_as_symbols_and_comes_back():
    one = shield("Move %s to {place}", symbols=True)
    assert one.shown == "Move ｟0｠ to ｟1｠"
    assert one.restored("nach ｟1｠ geht ｟0｠") == "nach {place} geht %s"


def test_a_lost_doubled_or_strange_symbol_is_noticed():
    one = shield("Move %s to {place}", symbols=True)
    for wrong in ("nach ｟1｠", "｟0｠ ｟0｠ ｟1｠", "｟0｠ ｟1｠ ｟2｠", "nichts"):
        assert one.restored(wrong) is None


def test_what_takes_its_value_by_its_place_may_not_change_places():
    one = shield("%s has %d files", symbols=True)
    assert one.restored("｟1｠ bei ｟0｠") is None
    numbered = shield("%1$s has %2$d files", symbols=True)
    assert numbered.restored("｟1｠ bei ｟0｠") == "%2$d bei %1$s"


def test_numbers_are_left_to_the_network_and_checked():
    one = shield("Wait 42 minutes", symbols=True)
    assert one.shown == "Wait 42 minutes"
    assert one.restored("४२ मिनट रुकें") == "४२ मिनट रुकें"
    assert one.restored("कुछ मिनट रुकें") is None
    assert shield("Wait 42 minutes", symbols=True, numbers=True).shown == "Wait ｟0｠ minutes"


def test_without_symbols_the_things_themselves_are_shown_and_checked():
    one = shield("Move %s", symbols=False)
    assert one.shown == "Move %s"
    assert one.restored("%s bewegen") == "%s bewegen"
    assert one.restored("bewegen") is None


def test_a_thing_inside_a_longer_one_is_no_survivor():
    for source, wrong in [
        ("12 cats", "122 gatos"),
        ("3 dogs", "3.5 perros"),
        ("a@b.org", "a@b.organ"),
    ]:
        assert shield(source, symbols=False).restored(wrong) is None
    assert shield(r"a\nThere %dpx", symbols=False).restored(r"Da\nDa %dpx") is not None
    assert shield("5 km far", symbols=False).restored("5\u00a0km weit") == "5\u00a0km weit"


def test_code_is_kept_as_it_stands():
    one = shield("Type ls -l now", [Stretch(5, 10)], symbols=True)
    assert one.shown == "Type ｟0｠ now"
    assert one.restored("Jetzt ｟0｠ tippen") == "Jetzt ls -l tippen"


@given(TEXTS)
def test_translated_in_parts_nothing_is_ever_lost(text):
    def forgetful(parts):
        return ["｟3｠ wort" for _ in parts]

    one = shield(text, symbols=True, numbers=True)
    found = in_parts(one, forgetful)
    assert survives(one.things, found)
    assert Counter(thing.text for thing in protected(found)) == Counter(
        thing.text for thing in protected(text)
    )
    assert "｟" not in found


@given(TEXTS)
def test_the_source_itself_survives(text):
    assert survives(shield(text, symbols=False).things, plain_digits(text))
