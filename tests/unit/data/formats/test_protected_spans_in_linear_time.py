"""Most texts hold nothing that must survive, and are done with at a glance."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dragoman.data.formats.protected_spans import _PATTERN, _TELLTALE, plain_digits, protected_spans

PARTS = st.sampled_from(
    ["%s", "{x}", "www.a.de", "a@b.de", "<b>", "&amp;", "\\n", "--all", "-all", "☀", "३", "7 km"]
    + ["https://a.de", "$(x)", "｟3｠", "%1", "w", ".", " ", "word", "क", "$", "€ 5", "💡", "%x%"]
)


@given(st.lists(PARTS | st.text(max_size=3), max_size=6).map("".join))
@example("$(a)")
def test_nothing_that_must_survive_is_overlooked_at_a_glance(text):
    assert [(one.begin, one.end) for one in protected_spans(text)] == [
        found.span() for found in _PATTERN.finditer(text)
    ]


def test_a_plain_sentence_needs_a_glance_only():
    assert not _TELLTALE.search("The boy reads a book, and the girl sings.")


@given(st.text())
@example("४२ and 42 and ²")
def test_digits_of_every_script_become_plain_and_nothing_else_changes(text):
    wanted = [
        str(unicodedata.digit(each)) if unicodedata.category(each) == "Nd" else each
        for each in text
    ]
    assert plain_digits(text) == "".join(wanted)


@pytest.mark.parametrize("digits", ["٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९", "０１２３４５６７８９"])
def test_all_ten_digits_are_read(digits):
    assert plain_digits(digits) == "0123456789"
