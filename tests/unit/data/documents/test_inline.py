"""Inline markup finds its place in a translation."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dragoman.data.documents.document import TextSpan
from dragoman.data.documents.inline import parents_of, place_inlines

WORDS = st.text("ab ,.\u0939\u00a0\n", max_size=40)


def of(text):
    """Read `Press [Save] now`: the text, and the stretches of the brackets; | stands alone."""
    plain, stretches, opened = "", [], []
    for sign in text:
        if sign == "[":
            opened.append(len(stretches))
            stretches.append((len(plain), None))
        elif sign == "]":
            number = opened.pop()
            stretches[number] = (stretches[number][0], len(plain))
        elif sign == "|":
            stretches.append((len(plain), len(plain)))
        else:
            plain += sign
    return plain, tuple(TextSpan(*stretch) for stretch in stretches)


@pytest.mark.parametrize(
    ("source", "target", "links"),
    [
        ("Press [Save] now.", "Drücken Sie jetzt auf [Speichern].", "0-0 1-4 2-2"),
        ("[Save] the file", "Datei [sichern]", "0-1 2-0"),
        ("the [big old] house", "la [vieille grande] maison", "0-0 1-2 2-1 3-3"),
        ("see [the page] here", "voir [la belle page] ici", "0-0 1-1 2-3 3-4"),
        ("say [yes!] now", "dis [oui !] ici", "0-0 1-1 1-2 2-3"),
        ("say “[yes]”.", "dis « [oui] ».", "0-0 1-2"),
        ("(see [this])", "(siehe [das])", "0-0 1-1"),
        ("a [{name}] b", "b [{name}].", "0-0 1-1"),
        ("[Note:] read", "[Hinweis:] lesen", "0-0 1-1"),
        ("[a [b] c]", "[x [y] z]", "0-0 1-1 2-2"),
        ("[all of it]", "[das alles]", ""),
        ("[all [of] it.]", "[das [x] alles.]", "1-1"),
        ("one| two", "eins| zwei", "0-0 1-1"),
        ("one| two", "zwei eins|", "0-1 1-0"),
        ("|one two|", "|zwei eins|", "0-1 1-0"),
        ("a word|.", "ein Wort|.", "0-0 1-1"),
        ("a word| b", "ein |b.", "0-0 2-1"),
        ("[one ][two]", "[eins ][zwei]", "0-0 1-1"),
        ("aaa [bbb] ccc", "xxx [yyy] zzz", ""),
        ("[a] [b]", "[x][]", "0-0 1-0"),
    ],
)
def test_markup_goes_with_the_words(source, target, links):
    pairs = [tuple(map(int, link.split("-"))) for link in links.split()]
    text, stretches = of(source)
    wanted, places = of(target)
    assert place_inlines(stretches, text, wanted, pairs) == places


@st.composite
def trees(draw, text):
    """Draw stretches of a text that nest, outer ones first."""
    found = []

    def fill(begin, end, depth):
        place = begin
        for _ in range(draw(st.integers(0, 3)) if depth < 4 else 0):
            low = draw(st.integers(place, end))
            high = draw(st.integers(low, end))
            found.append(TextSpan(low, high))
            if low < high:
                fill(low, high, depth + 1)
            place = high

    fill(0, len(text), 0)
    return tuple(found)


@st.composite
def cases(draw):
    source, target = draw(WORDS), draw(WORDS)
    number = st.integers(-1, 12)
    return draw(trees(source)), source, target, draw(st.sets(st.tuples(number, number)))


@settings(max_examples=600, deadline=None)
@given(cases())
@example(((TextSpan(0, 2), TextSpan(0, 1), TextSpan(1, 1), TextSpan(1, 2)), "aaa", "a ", set()))
def test_what_is_carried_is_nested_like_the_source(case):
    inlines, source, target, links = case
    found = place_inlines(inlines, source, target, links)
    parents = parents_of(inlines)
    assert len(found) == len(inlines)
    for number, (begin, end) in enumerate(found):
        assert 0 <= begin <= end <= len(target)
        around = found[parents[number]] if parents[number] >= 0 else TextSpan(0, len(target))
        assert around.begin <= begin <= end <= around.end
        for other in range(number):
            if parents[other] == parents[number]:
                low, high = found[other]
                assert high <= begin or end <= low, "siblings overlap"


@settings(max_examples=600, deadline=None)
@given(st.data(), WORDS)
def test_a_text_translated_by_itself_keeps_its_markup(data, text):
    edges = sorted(
        {0, len(text)}
        | {n for n in range(1, len(text)) if text[n].isspace() != text[n - 1].isspace()}
    )
    places = data.draw(trees(edges[1:]))
    inlines = tuple(TextSpan(edges[low], edges[high]) for low, high in places)
    links = [(n, n) for n in range(len(text.split()))]
    found = place_inlines(inlines, text, text, links)
    for number, (stretch, wanted) in enumerate(zip(found, inlines, strict=True)):
        assert stretch == wanted, (number, found, inlines)


def test_a_stretch_inside_a_word_is_kept_where_the_word_is():
    text, stretches = of("un[believ]able, h|o")
    assert place_inlines(stretches, text, text, [(0, 0), (1, 1)]) == stretches


def test_a_page_of_nested_markup_takes_a_moment():
    text = "word " * 20_000
    inlines = [TextSpan(n * 2, len(text) - n * 2) for n in range(20_000)]
    inlines += [TextSpan(50_000 + n, 50_000 + n) for n in range(0, 20)]
    began = time.process_time()
    found = place_inlines(inlines, text, text[:-1], [(n, 20_000 - n) for n in range(20_000)])
    assert len(found) == len(inlines)
    assert time.process_time() - began < 10
