from pathlib import Path

import pytest

from dragoman.core.errors import DataError
from dragoman.data.formats.captioned import Caption, join_keywords, read_captioned
from dragoman.data.formats.findings import FindingKind, Findings


def read(path, text, *, repair=True, findings=None):
    path.write_bytes(text.encode())
    return [row for _, row in read_captioned(path, repair=repair, findings=findings or Findings())]


def test_two_columns_are_an_image_and_its_caption(tmp_path):
    (row,) = read(tmp_path / "a.tsv", "in/one.png\ta red heart\n")
    assert row == (tmp_path / "in/one.png", Caption("a red heart"), "")


def test_a_third_column_is_the_language(tmp_path):
    rows = read(tmp_path / "a.tsv", "1.png\tdog\ten\n1.png\tकुत्ता\thi\n")
    assert [row.caption.language for row in rows] == ["en", "hi"]


def test_a_first_line_may_name_the_columns_in_any_order(tmp_path):
    text = "Caption\tgroup\tIMAGE\tkeywords\nviolin\tg\t1.png\tmusic| instrument ||music\n"
    (row,) = read(tmp_path / "a.tsv", text)
    assert row == (tmp_path / "1.png", Caption("violin", ("music", "instrument")), "g")


def test_a_path_may_be_absolute(tmp_path):
    (row,) = read(tmp_path / "a.tsv", "/somewhere/1.png\tdog\n")
    assert row.image == Path("/somewhere/1.png")


def test_rows_without_image_or_caption_are_counted(tmp_path):
    findings = Findings()
    assert read(tmp_path / "a.tsv", "1.png\t\n\tdog\n2.png\tcat\n\n", findings=findings)
    assert findings.count(FindingKind.EMPTY_SIDE) == 2


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("1.png\n", ":1: 1 columns"),
        ("a\tb\tc\td\n", ":1: 4 columns.*image, caption, keywords"),
        ("image\tcaption\tkeyword\n", "'keyword' is unknown or twice. Did you mean 'keywords'"),
        ("image\tcaption\tcaption\n", "'caption' is unknown or twice"),
        ("1.png\tdog\n2.png\tcat\ten\n", ":2: 3 columns, where the first line has 2"),
        ("", "is empty"),
    ],
)
def test_what_is_no_such_table_is_refused_with_its_line(text, word, tmp_path):
    with pytest.raises(DataError, match=word):
        read(tmp_path / "a.tsv", text)


def test_keywords_that_would_not_come_back_are_left_out():
    assert join_keywords(["a", "b|c", "d"]) == "a|d"
