import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.data.documents.document import TextSpan
from dragoman.pipeline.sentence_splitting import portions
from dragoman.pipeline.text_boundaries import Seams


def sentences(text, **options):
    return portions(text, **options)[1::2]


@given(st.text(st.sampled_from("aA.?! \n\t。1)-"), max_size=80), st.booleans(), st.integers(0, 4))
def test_portions_join_to_the_text_and_sentences_have_no_space_around(text, wrapped, longest):
    parts = portions(text, wrapped=wrapped, longest=longest)
    assert "".join(parts) == text
    assert all(part.strip() in ("", "-") or part.strip()[-1] in ".)" for part in parts[::2])
    assert all(part and part == part.strip() for part in parts[1::2])


def test_sentences_end_at_their_marks():
    assert sentences("Stop. Go on! Why?  No.") == ["Stop.", "Go on!", "Why?", "No."]
    assert sentences('He said "Stop." Then he went.') == ['He said "Stop."', "Then he went."]


def test_short_forms_initials_and_numbering_do_not_end_one():
    for text in (
        "Ask Dr. Smith now.",
        "See e.g. this one.",
        "Number 1. First of all",
        "J. Smith wrote it",
        "Isaac I. Newton wrote it",
        "See No. 7 and fig. 12 there",
        "We met at 5 p.m. on a day",
    ):
        assert sentences(text) == [text]


def test_words_that_may_be_short_forms_end_a_sentence_where_they_must():
    for text in (
        "I wanted to say no. This is raw meat.",
        "He is taller than I. Tom is not.",
        "It rained at 5 p.m. Tom left.",
        "We bought apples, pears, etc. Then we ate.",
    ):
        assert len(sentences(text)) == 2


def test_a_line_break_parts_sentences_unless_the_line_goes_on():
    assert sentences("One line\nAnother") == ["One line", "Another"]
    assert sentences("One line that\ngoes on") == ["One line that\ngoes on"]
    assert sentences("One\n\nother") == ["One", "other"]


def test_in_wrapped_text_line_breaks_mean_nothing():
    assert sentences("One line\nAnother. Then", wrapped=True) == ["One line\nAnother.", "Then"]


@pytest.mark.parametrize(
    "mark", ["- ", "– ", "— ", "• ", "* ", "1. ", "12) ", "(3) ", "(a) ", "b)  "]
)
def test_a_list_mark_before_a_sentence_is_no_part_of_it(mark):
    assert portions(f" {mark}Open it.") == [f" {mark}", "Open it.", ""]
    assert sentences(f"{mark}Open it. Close it.") == ["Open it.", "Close it."]


@pytest.mark.parametrize("text", ["-5 degrees", "-", "A. Smith", "1.5 litres", "*bold*", "a - b"])
def test_what_only_looks_like_a_list_mark_stays_in_its_sentence(text):
    assert sentences(text) == [text]


def test_two_speakers_are_two_sentences_with_the_dashes_between_them():
    assert portions("- Hello. - Hi.") == ["- ", "Hello.", " - ", "Hi.", ""]
    for wrapped in (True, False):
        parts = portions("– hello\n– hi", wrapped=wrapped)
        assert parts == ["– ", "hello", "\n– ", "hi", ""]


def test_a_list_mark_inside_a_solid_part_is_not_cut_off():
    assert sentences("- x = 1 now", solid=[TextSpan(0, 7)]) == ["- x = 1 now"]
    assert sentences("- {x} now", solid=[TextSpan(2, 5)]) == ["{x} now"]


def test_nothing_inside_a_solid_part_is_cut():
    assert sentences("Type `A. B` now", solid=[TextSpan(5, 11)]) == ["Type `A. B` now"]


@given(st.integers(1, 60), st.integers(1, 12))
def test_a_sentence_that_is_too_long_is_cut_into_parts_of_about_one_size(words, longest):
    found = [len(part.split()) for part in sentences(" ".join(["word"] * words), longest=longest)]
    assert sum(found) == words
    assert max(found) <= longest
    assert len(found) <= -(-words // longest) + 1


def test_a_long_sentence_is_cut_after_a_comma_if_it_can_be():
    text = "one two three four, five six seven eight nine"
    assert sentences(text, longest=6) == ["one two three four,", "five six seven eight nine"]
    assert sentences(text, longest=9) == [text]


TRAINING = ["Open the file", "Color balance", "Cannot save it", "Color", "Set the Color", "The end"]
SEAMS = Seams(TRAINING * 3)


def test_a_row_of_texts_is_cut_where_training_begins_and_ends_texts():
    text = "Open the file Color balance Cannot save it Set the Color"
    assert sentences(text, longest=4, seam=SEAMS) == [
        "Open the file",
        "Color balance",
        "Cannot save it",
        "Set the Color",
    ]
    assert sentences(text, longest=20, seam=SEAMS) == [text]


def test_names_and_words_of_the_middle_begin_nothing():
    for before, after in [("the", "Color"), ("file", "balance"), ("of", "Merkel"), ("file", "7")]:
        assert not SEAMS(before, after)
    assert SEAMS("file", "Cannot")
    assert not Seams([])("file", "Cannot")


@given(st.lists(st.sampled_from(TRAINING), max_size=30), st.integers(1, 9))
def test_whatever_is_cut_is_whole_again_when_joined(texts, longest):
    row = "  ".join(texts)
    parts = portions(row, longest=longest, seam=SEAMS)
    assert "".join(parts) == row
    assert all(len(part.split()) <= longest for part in parts)
