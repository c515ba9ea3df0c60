"""Text with markup inside: taken out, and put back wherever the answer wants it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.data.documents.document import SegmentTranslation, TextSpan
from dragoman.data.documents.inline_markup import Mark, MarkedPart, build_marked_text


def pieces_of(text):
    """Read `a(b)c`: brackets of each kind pair up, | stands alone, / breaks, ! is stale."""
    found = []
    for place, sign in enumerate(text):
        rest = (place, place + 1)
        if sign in "([{":
            found.append(
                MarkedPart(Mark.OPEN, *rest, key=sign, weak=sign == "{", verbatim=sign == "[")
            )
        elif sign in ")]}":
            key = "([{"[")]}".index(sign)]
            found.append(MarkedPart(Mark.CLOSE, *rest, key=key, weak=sign == "}"))
        elif sign in "|/":
            found.append(MarkedPart(Mark.ALONE, *rest, breaks=sign == "/"))
        else:
            mark = Mark.GONE if sign == "!" else Mark.TEXT
            found.append(MarkedPart(mark, *rest, "" if sign == "!" else sign))
    return found


def written(text, answer):
    whole = build_marked_text(pieces_of(text))
    return whole.filled(answer, lambda part, _: part, lambda begin, end: text[begin:end])


@pytest.mark.parametrize(
    ("text", "plain", "stretches"),
    [
        ("ab", "ab", ()),
        ("a(b)c", "abc", ((1, 2),)),
        (" |(  a b )/", "a b", ()),
        ("a((b)c)", "abc", ((1, 3), (1, 2))),
        ("a(b", "ab", ((1, 1),)),
        ("a)b", "ab", ((1, 1),)),
        ("a(b{c)d}e", "abcde", ((1, 3), (2, 2), (4, 4))),
        ("a{b(c}d)e", "abcde", ((1, 1), (2, 4), (3, 3))),
        ("a{b{c}d}e", "abcde", ((1, 4), (2, 3))),
        ("a/b", "a b", ((1, 1),)),
        ("a /b", "a b", ((2, 2),)),
        ("a//b", "a b", ((1, 1), (2, 2))),
        ("a/", "a", ()),
        ("a!b", "ab", ()),
        ("a/(b)", "a b", ((1, 1), (2, 3))),
    ],
)
def test_markup_is_taken_out(text, plain, stretches):
    whole = build_marked_text(pieces_of(text))
    assert whole.text == plain
    assert whole.stretches == stretches
    assert written(text, SegmentTranslation(plain, whole.stretches)) == text[
        whole.begin : whole.end
    ].replace("!", "")


@pytest.mark.parametrize("text", ["", " ", "12 %", "[a]", "([a] )", "|", "()", "[a] 1 [b]"])
def test_what_has_nothing_to_translate_is_no_text(text):
    assert build_marked_text(pieces_of(text)) is None


def test_what_stands_alone_may_be_a_word():
    whole = build_marked_text(pieces_of("|a|"), trim_alone=False)
    assert whole.stretches == ((0, 0), (1, 1))


def test_what_is_not_to_be_translated_is_named_once():
    whole = build_marked_text(pieces_of("a[b(c)[d]]e[f]"))
    assert whole.verbatim == ((1, 4), (5, 6))


def test_markup_may_change_places():
    assert (
        written("a(b)|c", SegmentTranslation("xyz", (TextSpan(2, 3), TextSpan(0, 0)))) == "|xy(z)"
    )
    assert (
        written("a(b)|c", SegmentTranslation("xyz", (TextSpan(0, 3), TextSpan(1, 1)))) == "(xyz)|"
    )


def test_as_many_stretches_are_needed_as_there_are():
    with pytest.raises(ValueError, match="0 inlines in an answer to 1"):
        written("a(b)c", SegmentTranslation("x"))


@settings(max_examples=300, deadline=None)
@given(
    st.text("a (){}[]|/!", max_size=20).map("b{}".format), st.text("xyz ", max_size=9), st.data()
)
def test_whatever_is_answered_is_nested_like_the_source(text, answer, data):
    whole = build_marked_text(pieces_of(text))
    place = st.integers(-2, len(answer) + 2)
    stretches = tuple(TextSpan(data.draw(place), data.draw(place)) for _ in whole.inlines)
    result = written(text, SegmentTranslation(answer, stretches))
    spaces = sum(inline.spaced for inline in whole.inlines)
    plain = "".join(sign for sign in result if sign not in "(){}[]|/")
    assert plain == answer or (plain.replace(" ", "") == answer.replace(" ", "") and spaces)
    marks = sorted(sign for sign in result if sign in "(){}[]|/")
    kept = text[whole.begin : whole.end]
    assert marks == sorted(sign for sign in kept if sign in "(){}[]|/")
