"""Tables: one column is read, one written, and the csv module agrees about the cells."""

import contextlib
import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.core.errors import DataError
from dragoman.data.documents.document import SegmentTranslation
from dragoman.data.documents.table import TableColumns, read_csv, read_tsv
from dragoman.data.formats.languages import LanguagePair

WANTED = LanguagePair("en", "hi")
SAMPLE = 'id,en,hi\r\n1,Open,खोलें\r\n2,"Save, ""then""\r\nquit",\r\n\r\n3,12,\r\n4,Short'
CELLS = st.text(st.sampled_from('ab,"\n ;é\t1') | st.characters(exclude_categories=["Cs"])).map(
    lambda text: text.replace("\0", "").replace("\r", "").replace("\ufeff", "")
)


def read(text, source="", target="", reader=read_csv, wanted=WANTED):
    data = text if isinstance(text, bytes) else text.encode()
    return reader(data, "a.csv", TableColumns(source, target), wanted)


def answered(document, answers):
    return document.written(
        {n: SegmentTranslation(answer) for n, answer in answers.items()}
    ).decode()


def rows_of(text, delimiter=","):
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


def test_columns_are_found_by_the_languages_of_the_header():
    document = read(SAMPLE)
    assert [(s.text, s.existing, s.where) for s in document.segments] == [
        ("Open", "खोलें", "line 2"),
        ('Save, "then"\r\nquit', "", "line 3"),
        ("Short", "", "line 7"),
    ]
    assert answered(document, {}) == SAMPLE
    assert answered(document, {0: "खोलें"}) == SAMPLE
    new = answered(document, {1: 'अ, "ब"', 2: "छोटा"})
    assert new == SAMPLE.replace('quit",', 'quit","अ, ""ब"""').replace("Short", "Short,छोटा")


@pytest.mark.parametrize(("source", "target"), [("en", "hi"), ("2", "3"), ("EN", "3"), ("2", "HI")])
def test_columns_may_be_named_or_numbered(source, target):
    document = read(SAMPLE, source, target)
    header = [] if "en" in (source + target).lower() or target == "HI" else ["en"]
    assert [s.text for s in document.segments][: len(header)] == header
    number = len(header)
    assert answered(document, {number: "x"}) == SAMPLE.replace("खोलें", "x")


def test_without_a_target_each_row_gets_one_more_cell():
    text = 'en,note\nOpen,a\n,b\n\n"x",\n'
    document = read(text, "en")
    assert answered(document, {}) == text
    assert answered(document, {1: "य"}) == 'en,note,hi\nOpen,a,\n,b,\n\n"x",,य\n'
    assert answered(read(text, "1"), {0: "a,b"}).startswith('en,note,"a,b"\n')
    unsure = document.written({0: SegmentTranslation("x", sure=False)})
    assert unsure.decode() == text


def test_one_column_needs_no_name():
    assert answered(read("Open\nSave\n"), {1: "x"}) == "Open,\nSave,x\n"
    tsv = read("Open, now\n", reader=read_tsv)
    assert answered(tsv, {0: "a\tb\nc\u2028d"}) == "Open, now\ta b c d\n"


def test_a_quotation_mark_means_nothing_in_tsv():
    text = 'en\thi\n"Open\t"x"\n'
    document = read(text, reader=read_tsv)
    assert [(s.text, s.existing) for s in document.segments] == [('"Open', '"x"')]
    assert answered(document, {0: '"'}) == 'en\thi\n"Open\t"\n'


def test_semicolons_part_the_cells_where_there_is_no_comma():
    assert answered(read("en;hi\nOpen;\n"), {0: "a;b,c"}) == 'en;hi\nOpen;"a;b,c"\n'


def test_the_source_itself_may_be_the_target():
    assert answered(read("1,Open\n", "2", "2"), {0: "x"}) == "1,x\n"


def test_doubt_leaves_the_cell():
    assert read(SAMPLE).written({1: SegmentTranslation("x", sure=False)}).decode() == SAMPLE


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=6), st.lists(CELLS, max_size=6),
       st.sampled_from(["\n", "\r\n"]), st.sampled_from(",;"), st.booleans())  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_the_csv_module_reads_any_answers(pairs, answers, end, delimiter, existing):
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, delimiter=delimiter, lineterminator=end)
    writer.writerows([["en", "hi" if existing else "zz"], *pairs])
    text = stream.getvalue()
    document = read(text)
    assert answered(document, {}) == text
    places = [n for n, pair in enumerate(pairs, 1) if any(map(str.isalpha, pair[0]))]
    assert [s.text for s in document.segments] == [pairs[n - 1][0] for n in places]
    ours = dict(zip(range(len(places)), answers, strict=False))
    new = answered(document, ours)
    expected = rows_of(text, delimiter)
    if not existing and ours:
        expected = [
            [*row, "hi" if not n else ""] if any(row) else row for n, row in enumerate(expected)
        ]
    for number, answer in ours.items():
        expected[places[number]][1 if existing else 2] = answer
    assert rows_of(new, delimiter) == expected


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1), CELLS)
@settings(max_examples=60, deadline=None)
def test_a_tsv_keeps_its_shape(rows, answer):
    text = "".join("\t".join(" ".join(cell.split()) for cell in row) + "\n" for row in rows)
    document = read(text, "1", "2", reader=read_tsv)
    assert answered(document, {}) == text
    new = answered(document, {0: answer}) if document.segments else text
    shape = [line.count("\t") for line in text.split("\n")]
    assert [line.count("\t") for line in new.split("\n")] == shape


@pytest.mark.parametrize(
    ("text", "source", "error"),
    [
        ("a,b\nc,d\n", "", "a.csv:1: which column .*1 'a', 2 'b'. Name one"),
        ("a,b\n", "c", "a.csv:1: there is no column 'c'; there are 1 'a', 2 'b'"),
        ("a,b\n", "0", "a.csv:1: there is no column '0'"),
        ('a,b\nc,"d\n\n', "1", "a.csv:2: not CSV"),
        ('a,b\n"c"d,e\n', "1", "a.csv:2: not CSV"),
        (b"a\n\xff", "1", "a.csv:2: not UTF-8"),
        (b"a\n\0", "1", "a.csv:2: a NUL byte"),
    ],
)
def test_what_is_unclear_or_damaged_is_refused(text, source, error):
    with pytest.raises(DataError, match=error):
        read(text, source)


def test_an_empty_table_has_no_segments():
    assert not read("").segments
    assert read("\n\n").written({}) == b"\n\n"


def test_a_comma_in_an_answer_does_not_change_what_parts_the_cells():
    new = answered(read("Open;x\nClose;y\n", "1", "2"), {0: "a, b", 1: "c"})
    assert [one.existing for one in read(new, "1", "2").segments] == ["a, b", "c"]


def test_a_row_of_more_cells_than_a_spreadsheet_has_is_refused():
    with pytest.raises(DataError, match=r"a\.csv:2: a row of more than 16,384 cells"):
        read("a\n" + "," * 16_384)
    with pytest.raises(DataError, match="there is no column '999999999'"):
        read("a,b\n", "1", "999999999")


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["a,b\n", ",", "a", '""', '"', "\n", "a\r", '"a"\n'])
@pytest.mark.parametrize("target", ["", "2"])
def test_long_files_take_linear_time(unit, target, takes_linear_time):
    def work(data):
        with contextlib.suppress(DataError):
            document = read(data, "1", target)
            document.written({max(0, len(document.segments) - 1): SegmentTranslation("x")})

    takes_linear_time(work, lambda size: unit * (size // len(unit)), sizes=(1000, 10_000, 100_000))
