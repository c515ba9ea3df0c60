"""Tagged sentences in files: what is read, repaired and refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.core.errors import DataError
from dragoman.data.formats import lines
from dragoman.data.formats.findings import Findings
from dragoman.tasks.tagging.sentences import TaggedSentence, read_sentences


@pytest.fixture
def read(tmp_path):
    """Read the sentences of a file with some content; findings are told beside them."""

    def reading(content, repair=True):
        path, findings = tmp_path / "some.tsv", Findings()
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        found = [*read_sentences([path], repair=repair, findings=findings)]
        return [(*one.sentence, one.line) for one in found], findings.lines()

    return reading


def test_an_empty_line_ends_a_sentence_and_so_does_the_file(read):
    found, told = read("\nThe\tDET\nmen\tNOUN\n\n \n\nShe\tPRON")
    assert found == [(("The", "men"), ("DET", "NOUN"), 2), (("She",), ("PRON",), 7)]
    assert told == []


def test_what_is_safe_to_repair_is_repaired_and_counted(read):
    content = b"\xef\xbb\xbfThe\tDET\r\nm\0en\tNOUN\r\n\r\n"
    found, told = read(content)
    assert found == [(("The", "men"), ("DET", "NOUN"), 1)]
    assert [line.split(" ", 2)[1] for line in told] == ["file", "lines", "line"]
    with pytest.raises(DataError, match=r"some.tsv:1: a byte order mark"):
        read(content, repair=False)
    with pytest.raises(DataError, match=r"some.tsv:2: a CRLF line end"):
        read(b"a\tX\nb\tY\r\n", repair=False)
    with pytest.raises(DataError, match=r"some.tsv:1: a NUL byte"):
        read(b"a\0\tX\n", repair=False)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"a\tX\nb\n", r"some.tsv:2: no tab in a line that should be a word, a tab and its label"),
        (b"a\tX\tY\n", r"some.tsv:1: 3 columns .* cut -f 1,2 some.tsv"),
        (b"a\tX\n\nb\t \n", r"some.tsv:3: the label is missing"),
        (b"\tX\n", r"some.tsv:1: the word is missing"),
        (b"a\tX\n\xff\tX\n", r"some.tsv:2: not UTF-8 \(byte 0xff"),
        (b"\xff\xfea\0", r"some.tsv:1: the file is UTF-16"),
        (b"", r"some.tsv:1: the file is empty"),
    ],
)
def test_what_cannot_be_repaired_is_refused_with_file_and_line(read, content, words):
    with pytest.raises(DataError, match=words):
        read(content)


def test_a_sentence_with_a_line_beyond_measure_is_left_out_whole(read, monkeypatch):
    monkeypatch.setattr(lines, "LONGEST_LINE", 16)
    found, told = read("a\tX\n" + "b" * 40 + "\tX\nc\tX\n\nd\tX\n")
    assert found == [(("d",), ("X",), 5)]
    (line,) = told
    assert line.startswith("1 line dropped: longer than 16 MiB (first at ")
    assert line.endswith("some.tsv:2)")


def test_a_file_that_is_not_there_is_one_line(tmp_path):
    with pytest.raises(DataError, match=r"none.tsv: no such file"):
        [*read_sentences([tmp_path / "none.tsv"], repair=True, findings=Findings())]


CELL = st.text(st.characters(exclude_characters="\t\n\0", codec="utf-8"), min_size=1).map(
    lambda text: text.strip() or "x"
)


@settings(max_examples=30)
@given(st.lists(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=5), max_size=5))
def test_whatever_is_written_is_read_again(tmp_path_factory, drawn):
    sentences = [TaggedSentence(*map(tuple, zip(*rows, strict=True))) for rows in drawn]
    path = tmp_path_factory.mktemp("drawn") / "some.tsv"
    path.write_bytes(("".join(one.lines() for one in sentences) + "\n").encode())
    found = read_sentences([path], repair=False, findings=Findings())
    assert [one.sentence for one in found] == sentences
