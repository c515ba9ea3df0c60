import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.pipeline.protection import add_placeholders
from dragoman.pipeline.spacing import squeeze_blanks

THINGS = ["%s", "{name}", "<b>", "</b>", "https://a.org/x", "42"]


def restored(source, translation):
    """Put the things of a source into a translation that has them as 0, 1, 2 in brackets."""
    return add_placeholders(source, symbols=True, numbers=True).restored(translation)


@pytest.mark.parametrize(
    ("source", "translation", "wanted"),
    [
        ("Open ({name})", "Abrir ( ｟0｠ )", "Abrir ({name})"),
        ("Open ( {name} )", "Abrir (｟0｠)", "Abrir ( {name} )"),
        ('Open "%s" now.', 'Abrir " ｟0｠ " ahora.', 'Abrir "%s" ahora.'),
        ('Open "%s".', "Abrir « ｟0｠ ».", "Abrir «%s»."),
        ("Open %s, then go.", "Abrir ｟0｠ , ir.", "Abrir %s, ir."),
        ("Open %s now", "Abrir  ｟0｠  ahora", "Abrir %s ahora"),
        ("Open %s now", "Abrir｟0｠ahora", "Abrir %s ahora"),
        ("Open %s now", "打开｟0｠吧", "打开%s吧"),
        ("Press <b>Save</b> now", "Ahora ｟0｠ guardar ｟1｠ ya", "Ahora <b>guardar</b> ya"),
        ("{a}: {b}", "｟0｠ : ｟1｠", "{a}: {b}"),
        ("Page 42.", "Página ｟0｠ .", "Página 42."),
        ("{n}th page", "Página ｟0｠ .", "Página {n} ."),
    ],
)
def test_blanks_around_a_thing_are_those_of_the_source(source, translation, wanted):
    assert restored(source, translation) == wanted


def test_a_mark_that_would_become_part_of_an_address_keeps_its_distance():
    assert restored("See https://a.org/x.", "｟0｠ ।") == "https://a.org/x ।"


def test_a_symbol_that_nobody_showed_does_not_come_out():
    assert restored("Red car", "｟0｠ का उपयोग करें") == "का उपयोग करें"
    assert restored("Red car", "कार(｟0｠ को)") == "कार( को)"
    assert restored("Red car", "｟0｠।") is None


def test_blanks_are_squeezed_where_those_of_the_source_would_join_two_things():
    found = restored("https://a.org/x{name} {name}", "｟2｠   ｟1｠ ｟0｠")
    assert found is None or "  " not in found


PARTS = st.lists(
    st.sampled_from([*THINGS, "open", "का", "(", ")", '"', ".", ",", " ", "  "]), max_size=10
)


@given(PARTS, PARTS, st.randoms(use_true_random=False))
def test_no_run_of_blanks_comes_that_the_source_does_not_have(source_parts, words, chance):
    source = "".join(source_parts).strip()
    shown = add_placeholders(source, symbols=True, numbers=True)
    said = [part for part in words if part not in THINGS] + shown.symbols
    chance.shuffle(said)
    translation = " ".join(said)
    found = shown.restored(translation)
    if found is not None:
        runs = [run for run in re.findall(r"\s{2,}", found) if run not in source]
        assert not runs
        assert Counter(re.sub(r"\s", "", found)) == Counter(
            re.sub(
                r"\s",
                "",
                "".join(part for part in said if part not in shown.symbols)
                + "".join(thing.text for thing in shown.hidden),
            )
        )


@given(st.text(alphabet="ab \t\u00a0", max_size=20), st.text(alphabet="ab  ", max_size=20))
def test_one_blank_is_left_of_a_run_that_is_new(text, source):
    found = squeeze_blanks(text, source)
    assert found.split() == text.split()
    assert all(run in source for run in re.findall(r"\s{2,}", found))
