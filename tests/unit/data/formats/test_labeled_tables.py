import json

import pytest

from dragoman.core.errors import DataError
from dragoman.data.formats.findings import FindingKind
from dragoman.data.formats.labeled import (
    LabelColumns,
    LabeledText,
    RowFindings,
    in_one_line,
    read_labeled,
)


@pytest.fixture
def read(tmp_path):
    """Give a function that writes a file and reads its rows, with what was found."""

    def reading(name, content, columns=None, repair=True):
        path, findings = tmp_path / name, RowFindings()
        path.write_text(content, encoding="utf-8")
        rows = list(read_labeled(path, columns or LabelColumns(), repair=repair, findings=findings))
        return rows, findings

    return reading


SAME = [(1, LabeledText("a fine film", "good")), (2, LabeledText("dull, long", "bad"))]


@pytest.mark.parametrize(
    ("name", "content", "first"),
    [
        ("a.tsv", "a fine film\tgood\ndull, long\tbad\n", 1),
        ("a.csv", 'a fine film,good\n"dull, long",bad\n', 1),
        ("a.csv", 'text,label\na fine film,good\n"dull, long",bad\n', 2),
        ("a.csv", 'label,stars,text\ngood,5,a fine film\nbad,1,"dull, long"\n', 2),
        (
            "a.jsonl",
            '{"text": "a fine film", "label": "good"}\n'
            '{"label": "bad", "text": "dull, long", "stars": 1}\n',
            1,
        ),
    ],
)
def test_every_table_says_the_same(read, name, content, first):
    rows, _ = read(name, content)
    assert rows == [(number + first - 1, row) for number, row in SAME]


def test_columns_may_have_other_names(read):
    columns = LabelColumns("review", "verdict")
    rows, _ = read("a.csv", "verdict,review\ngood,a fine film\n", columns)
    assert rows == [(2, SAME[0][1])]
    rows, _ = read("a.jsonl", '{"verdict": "good", "review": "a fine film"}\n', columns)
    assert rows == [SAME[0]]


def test_classes_in_json_may_be_numbers(read):
    lines = [{"text": "x", "label": 0}, {"text": "y", "label": 12}, {"text": "z", "label": True}]
    rows, _ = read("a.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    assert [row.label for _, row in rows] == ["0", "12", "true"]


def test_a_row_without_text_or_class_is_dropped_and_counted(read):
    rows, findings = read("a.tsv", "x\ta\n  \tb\ny\t \n z \t b \n")
    assert [row for _, row in rows] == [LabeledText("x", "a"), LabeledText("z", "b")]
    assert findings.count(FindingKind.EMPTY_SIDE) == 2
    assert "first at" in findings.lines()[0]
    assert "a.tsv:2)" in findings.lines()[0]


def test_a_text_of_several_lines_becomes_one_that_a_table_can_hold(read):
    rows, _ = read("a.jsonl", json.dumps({"text": "one\ttwo\r\nthree", "label": "a\nb"}) + "\n")
    assert rows == [(1, LabeledText("one two three", "a b"))]
    assert in_one_line("one\ttwo\r\nthree\n") == "one two three"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.tsv", "x\ta\nno class\n", "a.tsv:2: no tab. "),
        ("a.tsv", "x\ta\ny\tb\tc\n", "a.tsv:2: 3 columns"),
        ("a.csv", "x,a\ny,b,c\n", "a.csv:2: 3 columns"),
        ("a.jsonl", '{"text": "x", "label": "a"}\n{"text": "y"}\n', "a.jsonl:2: .*no 'label'"),
        ("a.jsonl", '{"text": "x", "label": [1]}\n', "a.jsonl:1: .*type list, not text"),
        ("a.jsonl", '{"text": 3, "label": "a"}\n', "a.jsonl:1: .*type int, not text"),
        ("a.jsonl", '{"text": "\\ud800", "label": "a"}\n', "a.jsonl:1: .*half a character"),
        ("a.jsonl", "[1, 2]\n", "a.jsonl:1: .*not a JSON object"),
        ("a.jsonl", "{\n", "a.jsonl:1: no text and class"),
        ("a.tmx", "<tmx/>", "a.tmx: TMX holds translations"),
        ("a.tsv", "", "a.tsv:1: the file is empty"),
    ],
)
def test_what_is_no_row_is_refused_in_one_line_with_its_place(read, name, content, said):
    with pytest.raises(DataError, match=said) as error:
        read(name, content)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["a.tsv", "a.csv"])
def test_the_error_says_that_a_classifier_wants_a_text_and_its_class(read, name):
    with pytest.raises(DataError, match="the source is a text, and the target its class"):
        read(name, "x\ta\tb\n" if name == "a.tsv" else "alone\n")


def test_a_nul_is_repaired_or_refused(read):
    line = json.dumps({"text": "a\0b", "label": "c"}) + "\n"
    rows, findings = read("a.jsonl", line)
    assert (rows, findings.count(FindingKind.NUL)) == ([(1, LabeledText("ab", "c"))], 1)
    with pytest.raises(DataError, match=r"a.jsonl:1: a NUL byte. .*corpus.repair=true"):
        read("a.jsonl", line, repair=False)
