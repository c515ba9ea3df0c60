"""Plain text: as many lines come out as went in, whatever they hold."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.core.errors import DataError
from dragoman.data.documents.document import SegmentTranslation
from dragoman.data.documents.plain import one_line, read_plain
from dragoman.data.formats.languages import LanguagePair

ODD = "\r\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e\t \ufeff"
LINES = st.text(st.sampled_from("ab1. é\n\n" + ODD) | st.characters(exclude_categories=["Cs"])).map(
    lambda text: text.replace("\0", "")
)


def read(text):
    return read_plain(text if isinstance(text, bytes) else text.encode(), "a.txt", LanguagePair())


def test_lines_with_letters_become_segments_without_the_space_around():
    document = read("\ufeff  First \r\n\n12.5\n\tSecond\rstill\u2028same\x85 \x0bb\n\nend")
    assert [(s.text, s.where) for s in document.segments] == [
        ("First", "line 1"),
        ("Second\rstill\u2028same\x85 \x0bb", "line 4"),
        ("end", "line 6"),
    ]
    written = document.written(
        {
            0: SegmentTranslation("eins"),
            1: SegmentTranslation("a\nb\u2028c"),
            2: SegmentTranslation("Ende"),
        }
    )
    assert written.decode() == "\ufeff  eins \r\n\n12.5\n\ta b c\n\nEnde"


def test_doubt_leaves_the_source():
    assert (
        read("a\nb\n").written({0: SegmentTranslation("x", sure=False), 1: SegmentTranslation("y")})
        == b"a\ny\n"
    )


def test_an_empty_answer_leaves_the_source_and_takes_no_line_away():
    for nothing in ("", " ", "\n"):
        given = {0: SegmentTranslation("x"), 1: SegmentTranslation(nothing)}
        assert read("a\nb").written(given) == b"x\nb"


@given(LINES, st.lists(st.text(st.sampled_from("ab\n" + ODD) | st.characters()), max_size=12))
@settings(max_examples=300, deadline=None)
def test_the_number_of_lines_never_changes(text, answers):
    document = read(text)
    assert document.written({}).decode() == text
    same = {
        number: SegmentTranslation(segment.text) for number, segment in enumerate(document.segments)
    }
    assert document.written(same).decode() == text
    given = {n: SegmentTranslation(a) for n, a in enumerate(answers) if n < len(document.segments)}
    new = document.written(given).decode()
    assert new.count("\n") == text.count("\n")
    assert new.endswith("\n") == text.endswith("\n")
    before, after = text.split("\n"), new.split("\n")
    places = [int(s.where.removeprefix("line ")) - 1 for s in document.segments]
    changed = {places[number] for number in given}
    for number, (old, line) in enumerate(zip(before, after, strict=True)):
        assert number in changed or old == line
    for number, answer in given.items():
        if answer.text == document.segments[number].text or not one_line(answer.text):
            assert after[places[number]] == before[places[number]]  # the source stays
            continue
        assert len(after[places[number]].strip().splitlines()) <= 1


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"a\nb\xff\n", "a.txt:2: not UTF-8 .*0xff"),
        (b"a\n\n\0", "a.txt:3: a NUL byte"),
        (b"\xff\xfea\0", "a.txt:1: the file is UTF-16"),
        (b"a\n\xed\xa0\x80", "a.txt:2: not UTF-8"),
    ],
)
def test_what_is_not_text_is_refused_with_its_line(data, error):
    with pytest.raises(DataError, match=error):
        read(data)


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["a\n", "a", "\r", " ", "\u2028", "\ufeff", "\t\n", "a "])
def test_long_files_take_linear_time(unit, takes_linear_time):
    takes_linear_time(
        lambda data: read(data).written({0: SegmentTranslation("x")}),
        lambda size: unit * (size // len(unit)),
    )
