import gzip

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.core.errors import DataError
from dragoman.data.formats import lines as lines_module
from dragoman.data.formats.findings import FindingKind, Findings
from dragoman.data.formats.lines import read_lines
from dragoman.data.formats.pair import Pair
from dragoman.data.formats.read import read_pairs

SEPARATORS = ["\u0085", "\u2028", "\u2029", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\r"]


def lines_of(path, repair=True):
    findings = Findings()
    return list(read_lines(path, repair=repair, findings=findings)), findings


def pairs_of(*files, longest=2000, repair=True):
    findings = Findings()
    return list(read_pairs(files, longest=longest, repair=repair, findings=findings)), findings


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize("separator", SEPARATORS)
def test_a_line_separator_inside_a_sentence_does_not_shift_the_corpus(write, separator):
    source = write("a.en", f"one{separator}still one\ntwo\n")
    target = write("a.hi", "eins\nzwei\n")
    pairs, findings = pairs_of(source, target)
    assert pairs == [Pair(f"one{separator}still one", "eins"), Pair("two", "zwei")]
    assert findings.lines() == []


@pytest.mark.parametrize(
    ("content", "kind", "place", "said"),
    [
        (b"\xef\xbb\xbfone\ntwo\n", FindingKind.BYTE_ORDER_MARK, "a.en:1", "a byte order mark"),
        (b"one\ntwo\r\n", FindingKind.CARRIAGE_RETURN, "a.en:2", "a CRLF line end"),
        (b"one\nt\0w\0o\n", FindingKind.NUL, "a.en:2", "a NUL byte"),
    ],
)
def test_what_is_safe_to_repair_is_repaired_and_counted_or_refused(
    write, content, kind, place, said
):
    path = write("a.en", content)
    lines, findings = lines_of(path)
    assert lines == ["one", "two"]
    assert findings.count(kind) == 1
    assert place in findings.lines()[0]
    with pytest.raises(DataError, match=rf"{place}: {said}\. .*corpus\.repair=true"):
        lines_of(path, repair=False)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.en", b"good\nb\xffd\n", r"a\.en:2: not UTF-8 \(byte 0xff at byte 2 of the line\)"),
        ("a.en", b"surrogate\n\xed\xa0\x80\n", r"a\.en:2: not UTF-8"),
        ("a.en", "text\n".encode("utf-16"), r"a\.en:1: the file is UTF-16\. Save it as UTF-8"),
        ("a.en", b"\xfe\xff\0a", r"a\.en:1: the file is UTF-16"),
        ("a.en", b"", r"a\.en:1: the file is empty"),
        ("a.en", b"\xef\xbb\xbf", r"a\.en:1: the file is empty"),
        (
            "a.en",
            gzip.compress(b"one\n", mtime=0),
            r"a\.en:1: the file is gzipped\. Let its name end",
        ),
        (
            "a.gz",
            gzip.compress(b"one\n" * 999, mtime=0)[:-9],
            r"a\.gz:\d+: the gzip file is cut off",
        ),
        ("a.gz", b"plain text\n", r"a\.gz:1: the gzip file is cut off or damaged"),
        ("a.gz", gzip.compress(b"", mtime=0)[:20] + b"x", r"a\.gz:1: the"),
    ],
)
def test_what_cannot_be_repaired_is_refused_with_file_and_line(write, name, content, words):
    with pytest.raises(DataError, match=words):
        lines_of(write(name, content))


def test_a_misspelt_file_is_answered_with_the_nearest_name(write, tmp_path):
    write("corpus.en", "one\n")
    with pytest.raises(DataError, match=r"corpsu\.en: no such file\. Did you mean .*corpus\.en\?"):
        lines_of(tmp_path / "corpsu.en")
    with pytest.raises(DataError, match="is a folder"):
        lines_of(tmp_path)
    with pytest.raises(DataError, match="Nor is there a folder"):
        lines_of(tmp_path / "nowhere" / "a.en")


def test_a_gzipped_file_reads_like_a_plain_one_and_the_last_newline_may_be_missing(write):
    content = "eins\nzwei\u2028 Teile\n\ndrei"
    plain, packed = write("a.txt", content), write("a.txt.gz", gzip.compress(content.encode()))
    assert lines_of(plain)[0] == lines_of(packed)[0] == ["eins", "zwei\u2028 Teile", "", "drei"]


def test_a_tsv_line_has_exactly_one_tab(write):
    assert pairs_of(write("a.tsv", "a\tb\nc\td"))[0] == [Pair("a", "b"), Pair("c", "d")]
    with pytest.raises(DataError, match=r"b\.tsv:2: no tab\. A line of a TSV corpus is SOURCE"):
        pairs_of(write("b.tsv", "a\tb\nc\n"))
    with pytest.raises(DataError, match=r"c\.tsv:1: 3 columns, where a TSV corpus has two\. Keep"):
        pairs_of(write("c.tsv", "a\tb\tc\n"))
    with pytest.raises(DataError, match="one TSV file or two plain files, not 3"):
        pairs_of(*[write("c.tsv", "a\n")] * 3)


@pytest.mark.parametrize(("source", "target"), [(3, 7), (7, 3), (1, 2)])
def test_unequal_files_are_refused_with_both_counts(write, source, target):
    files = write("a.en", "x\n" * source), write("a.hi", "y\n" * target)
    with pytest.raises(DataError, match=rf"a\.en has {source} lines and .*a\.hi has {target}\."):
        pairs_of(*files)


def test_empty_and_overlong_pairs_are_dropped_and_counted_with_their_first_line(write):
    source = write("a.en", "one\n \nthree\n" + "x" * 11 + "\nfive\n")
    target = write("a.hi", "eins\nzwei\n\u00a0\u2028\nvier\n" + "y" * 12 + "\n")
    pairs, findings = pairs_of(source, target, longest=10)
    assert pairs == [Pair("one", "eins")]
    assert findings.lines() == [
        f"2 pairs dropped: one side is too long (first at {source}:4)",
        f"2 pairs dropped: one side is empty (first at {source}:2)",
    ]


def test_a_line_of_ten_megabytes_is_dropped_and_the_next_line_is_still_its_pair(write):
    source = write("a.en", "x" * 10_000_000 + "\ntwo\n")
    target = write("a.hi", "eins\nzwei\n")
    pairs, findings = pairs_of(source, target)
    assert pairs == [Pair("two", "zwei")]
    assert findings.count(FindingKind.TOO_LONG) == 1


def test_a_line_beyond_the_cap_is_never_held_whole(write, monkeypatch):
    monkeypatch.setattr(lines_module, "LONGEST_LINE", 64)
    for length in (63, 64, 65, 127, 128, 129, 1000):
        path = write("a.en", "x" * length + "\nnext\n" + "y" * length)
        lines, _ = lines_of(path)
        whole = length < 64
        assert lines[0] == ("x" * length if whole else None)
        assert lines[1] == "next"
        assert lines[2] == ("y" * length if whole else None)
        assert len(lines) == 3


PIECES = st.sampled_from(
    [
        b"word",
        "दो".encode(),
        b" ",
        b"\t",
        b"\r",
        b"\0",
        b"\xef\xbb\xbf",
        b"\xff",
        b"\xc3",
        b"\xc3\xa9",
    ]
    + [separator.encode() for separator in SEPARATORS]
    + [b"x" * 30]
)
SENTENCE = st.lists(PIECES, max_size=4).map(b"".join)
SIDE = st.tuples(
    st.lists(st.tuples(SENTENCE, st.sampled_from([b"\n", b"\r\n"])), max_size=5), SENTENCE
)


def joined(side):
    rows, last = side
    return b"".join(sentence + end for sentence, end in rows) + last


def reference(content):
    """The documented repairs, done the slow way; None where the file must be refused."""
    raw = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    ended = raw[:-1]
    rows = [row.removesuffix(b"\r") for row in ended] + ([raw[-1]] if raw[-1] else [])
    try:
        return [row.replace(b"\0", b"").decode() for row in rows] or None
    except UnicodeDecodeError:
        return None


def check_hostile_pair(folder, first, second):
    files = folder / "a.en", folder / "a.hi"
    for path, content in zip(files, (first, second), strict=True):
        path.write_bytes(content)
    expected = [reference(first), reference(second)]
    sound = None not in expected and len(expected[0]) == len(expected[1])
    if not sound or first[:2] in (b"\xff\xfe", b"\xfe\xff"):
        with pytest.raises(DataError) as refusal:
            pairs_of(*files, longest=20)
        assert str(folder / "a.") in str(refusal.value)
        return
    pairs, findings = pairs_of(*files, longest=20)
    rows = [Pair(*row) for row in zip(*expected, strict=True)]
    assert pairs == [
        pair for pair in rows if max(map(len, pair)) <= 20 and all(side.strip() for side in pair)
    ]
    dropped = findings.count(FindingKind.TOO_LONG) + findings.count(FindingKind.EMPTY_SIDE)
    assert dropped == len(rows) - len(pairs)


RELAXED = {"deadline": None, "suppress_health_check": [HealthCheck.function_scoped_fixture]}


@settings(max_examples=1000, **RELAXED)
@given(first=SIDE.map(joined), second=SIDE.map(joined))
def test_a_hostile_corpus_is_read_as_documented_or_refused(tmp_path, first, second):
    check_hostile_pair(tmp_path, first, second)


@pytest.mark.slow
@settings(max_examples=20_000, **RELAXED)
@given(rows=st.lists(st.tuples(SENTENCE, SENTENCE, st.sampled_from([b"\n", b"\r\n"])), max_size=8))
def test_many_hostile_corpora_of_equal_length_are_read_as_documented(tmp_path, rows):
    first = b"".join(source + end for source, _, end in rows)
    second = b"".join(target + end for _, target, end in rows)
    check_hostile_pair(tmp_path, first, second)
