"""Subtitles: what is said changes, when and where it is shown does not."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.core.errors import DataError
from dragoman.data.documents.document import SegmentTranslation, TextSpan
from dragoman.data.documents.subtitles import read_subtitles
from dragoman.data.formats.languages import LanguagePair

SRT = """1
00:00:01,000 --> 00:00:02,000
{\\an8}<i>Where are you
going?</i>

2
00:00:03,000 --> 00:00:04,000 X1:1 X2:2 Y1:1 Y2:2
- Press <b>Save</b> & go.

3
00:00:05,000 --> 00:00:06,000
♪ 12 ♪

"""
VTT = """WEBVTT Some title
Kind: captions

STYLE
::cue { color: red }

NOTE A remark
of two lines

intro
00:01.000 --> 00:02.000 align:start
<v Anna>Tom &amp; <c.loud>Jerry</c>

00:00:03.000 --> 00:00:04.000
Second <00:00:03.500>cue &lt;here&gt;
"""
TEXTS = st.text(
    st.sampled_from("ab \n<>-&{}/i\\\r\u2028") | st.characters(exclude_categories=["Cs"])
)
TIMING = re.compile(r"^\S+ --> .*$", re.MULTILINE)


def read(text):
    return read_subtitles(
        text if isinstance(text, bytes) else text.encode(), "a.srt", LanguagePair()
    )


def shown(text):
    """Read cues in the plainest way: blocks between empty lines, text below the timing."""
    cues = []
    for block in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n")):
        lines = block.strip("\n").split("\n")
        at = [n for n, line in enumerate(lines) if "-->" in line]
        if at:
            cues.append((lines[at[0]], "\n".join(lines[at[0] + 1 :])))
    return cues


def test_the_text_of_cues_becomes_segments():
    assert [s.text for s in read(SRT).segments] == ["Where are you\ngoing?", "- Press Save & go."]
    assert read(SRT).segments[1].inlines == (TextSpan(8, 12),)
    assert read(SRT).segments[0].wrapped
    assert read(SRT).segments[1].where == "line 8"
    vtt = read(VTT).segments
    assert [s.text for s in vtt] == ["Tom & Jerry", "Second cue <here>"]
    assert vtt[0].inlines == (TextSpan(6, 11),)
    assert vtt[1].inlines == (TextSpan(7, 7),)


@pytest.mark.parametrize("text", [SRT, VTT])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_without_answers_and_with_its_own_texts_the_file_is_the_same(text, end, mark):
    data = (mark + text.replace("\n", end)).encode()
    document = read(data)
    assert document.written({}) == data
    own = {n: SegmentTranslation(s.text, s.inlines) for n, s in enumerate(document.segments)}
    assert document.written(own) == data
    unsure = {n: SegmentTranslation("x", sure=False) for n in own}
    assert document.written(unsure) == data


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_an_answer_gets_as_many_lines_as_the_cue_had(end):
    new = read(SRT.replace("\n", end)).written(
        {0: SegmentTranslation("Wohin gehst du denn so spät?")}
    )
    expected = SRT.replace("Where are you\ngoing?", "Wohin gehst du\ndenn so spät?")
    assert new.decode() == expected.replace("\n", end)
    own_break = read(SRT).written({0: SegmentTranslation("Wohin\ngehst du denn so spät?")}).decode()
    assert "<i>Wohin\ngehst du denn so spät?</i>" in own_break


def test_markup_goes_where_the_answer_has_it():
    new = (
        read(SRT).written({1: SegmentTranslation("Jetzt speichern.", (TextSpan(6, 15),))}).decode()
    )
    assert new == SRT.replace("- Press <b>Save</b> & go.", "Jetzt <b>speichern</b>.")
    answer = SegmentTranslation("<Jerry> & Tom", (TextSpan(0, 7),))
    new = read(VTT).written({0: answer}).decode()
    assert "<v Anna><c.loud>&lt;Jerry&gt;</c> &amp; Tom\n" in new


@given(TEXTS, TEXTS, st.sampled_from([SRT, VTT]), st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=200, deadline=None)
def test_no_answer_can_end_a_cue_or_begin_another(first, second, text, end):
    text = text.replace("\n", end)
    document = read(text)
    answers = {
        n: SegmentTranslation(answer, tuple(TextSpan(0, 0) for _ in document.segments[n].inlines))
        for n, answer in enumerate((first, second))
    }
    new = document.written(answers).decode()
    assert TIMING.findall(new) == TIMING.findall(text)
    before, after = shown(text), shown(new)
    assert [timing for timing, _ in after] == [timing for timing, _ in before]
    assert len(new.split(end * 2)) >= len(text.split(end * 2))
    again = read(new)
    words = [" ".join(s.text.replace("-->", "→").split()) for s in again.segments]
    ours = [" ".join(a.split()) for a in (first, second)]
    if text.startswith("WEBVTT") and all(any(map(str.isalpha, a)) for a in ours):
        assert words == [" ".join(a.replace("\0", "").replace("-->", "→").split()) for a in ours]


def test_what_srt_would_take_for_markup_is_spelled_otherwise():
    new = read(SRT).written({0: SegmentTranslation("<b>x</b> {\\an1} a < b")}).decode()
    assert "‹b›x‹/b›" in new
    assert "(\\an1) a < b" in new.replace("\n", " ")


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"Just text\n", "a.srt:1: no subtitle with a timing"),
        (SRT.encode() + b"4\n\xff", "a.srt:15: not UTF-8"),
        (b"\0", "a.srt:1: a NUL byte"),
    ],
)
def test_what_are_no_subtitles_is_refused(data, error):
    with pytest.raises(DataError, match=error):
        read(data)


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["<i>", "a\n", "<i>a</i> ", "{\\", "<", " ", "&", "a <b x"])
def test_long_cues_take_linear_time(unit, takes_linear_time):
    def work(data):
        document = read(data)
        for number, segment in enumerate(document.segments):
            document.written(
                {number: SegmentTranslation("x y " * len(segment.text), segment.inlines)}
            )

    head = "1\n00:00:01,000 --> 00:00:02,000\n"
    takes_linear_time(
        work, lambda size: head + unit * (size // len(unit)), sizes=(1_000, 10_000, 100_000)
    )
