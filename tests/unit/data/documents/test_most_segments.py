"""A file of too many texts is refused at the first text too many."""

import pytest
from tests.unit.data.documents.test_growth import FILES

from dragoman.core.errors import DataError
from dragoman.data.documents.open import FORMATS, open_document, read_document
from dragoman.data.documents.table import TableColumns
from dragoman.data.formats.languages import LanguagePair

EN_HI = LanguagePair("en", "hi")


def opened(format, data, most):
    return read_document(format, data, "a.file", EN_HI, TableColumns("1"), most_segments=most)


@pytest.mark.parametrize("format", [*FORMATS, "plain"])
def test_a_file_may_have_as_many_texts_as_are_allowed_and_no_more(format):
    data = FILES[format][0](1_000)
    count = len(opened(format, data, 1_000).segments)
    assert len(opened(format, data, count).segments) == count > 1
    with pytest.raises(DataError, match=rf"a\.file: has more than {count - 1} texts\. Cut it"):
        opened(format, data, count - 1)


@pytest.mark.parametrize(
    ("format", "data"),
    [
        ("json", b'["a", "b", not JSON at all'),
        ("yaml", b"- a\n- b\n- ]not YAML at all"),
        ("po", b'msgid "a"\nmsgstr ""\nmsgid "b"\nmsgstr ""\nmsgid "c"\nmsgstr ""\nno PO'),
        ("csv", b'text\na\nb\n"not CSV at all'),
    ],
)
def test_what_comes_after_the_first_text_too_many_is_not_read(format, data):
    with pytest.raises(DataError, match="not "):
        opened(format, data, 9)
    with pytest.raises(DataError, match="more than 1 texts"):
        opened(format, data, 1)


def test_a_folder_is_refused_by_a_line_that_names_it(tmp_path):
    (tmp_path / "letters.txt").mkdir()
    with pytest.raises(DataError, match=r"letters\.txt: cannot be read \("):
        open_document(tmp_path / "letters.txt", EN_HI)
