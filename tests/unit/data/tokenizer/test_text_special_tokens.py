"""What begins, ends and fills up the texts of a causal language model."""

import pytest
from tokenizers import Tokenizer as Library
from tokenizers import models, pre_tokenizers, processors

from dragoman.core.errors import DataError
from dragoman.data.tokenizer.imported import ImportedTokenizer, SpecialTokenNames
from dragoman.data.tokenizer.imported_files import byte_level_tokenizer
from dragoman.data.tokenizer.special_tokens import END, OURS, PAD, START, UNKNOWN
from dragoman.data.tokenizer.subwords import FIXED
from dragoman.data.tokenizer.text_special_tokens import text_special_tokens
from dragoman.data.tokenizer.words import WordTokenizer


def imported(marks, *, special=(), named=None, first=None):
    library = Library(models.WordLevel({w: n for n, w in enumerate(["a", *marks])}, unk_token="a"))
    library.pre_tokenizer = pre_tokenizers.Whitespace()
    library.add_special_tokens([*special])
    if first:
        number = library.token_to_id(first)
        library.post_processor = processors.TemplateProcessing(
            single=[first, "$A"], special_tokens=[(first, number)]
        )
    return text_special_tokens(ImportedTokenizer(library.to_str(), named))


def test_a_vocabulary_that_was_learned_here_has_ours():
    assert text_special_tokens(WordTokenizer(["cat"])) == OURS
    assert (OURS.start, OURS.end, OURS.padding) == (START, END, PAD)
    assert OURS.never == (PAD, START, UNKNOWN)
    assert OURS.ends == {END}
    assert FIXED[OURS.start] == "<s>"


def test_one_mark_may_have_every_part():
    found = imported(["<|endoftext|>"], special=["<|endoftext|>"])
    assert (found.start, found.end, found.padding, found.never) == (1, 1, 1, ())
    assert found.ends == {1}


def test_what_the_tokenizer_puts_first_begins_a_text():
    marks = ["<s>", "</s>", "<pad>", "<unk>"]
    found = imported(marks, special=marks, first="<s>")
    assert (found.start, found.end, found.padding, found.never) == (1, 2, 3, (3, 4))
    assert found.ends == {1, 2}


def test_what_it_only_names_does_not():
    found = imported(["<s>", "</s>"], special=["<s>", "</s>"])
    assert (found.start, found.end, found.never) == (2, 2, (1,))


def test_what_parts_plain_texts_begins_one_even_if_a_chat_has_marks_of_its_own():
    marks = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    named = SpecialTokenNames(pad=marks[2], unknown=marks[0], start=marks[1], end=marks[2])
    found = imported(marks, special=marks, named=named)
    assert (found.start, found.end, found.padding, found.never) == (1, 3, 3, (2,))
    assert found.ends == {1, 3}


def test_byte_level_pieces_can_be_given_a_mark_to_put_first():
    numbers, named = {"a": 0, "<s>": 1, "</s>": 2}, SpecialTokenNames(start="<s>", end="</s>")
    plain, first = (
        byte_level_tokenizer(numbers, [], named, put_first=put) for put in (False, True)
    )
    assert (text_special_tokens(plain).start, text_special_tokens(first).start) == (2, 1)
    assert plain.encode("aa") == first.encode("aa") == [0, 0]


def test_a_vocabulary_that_cannot_end_a_text_is_refused():
    with pytest.raises(DataError, match="no token that ends a text"):
        imported(["[PAD]"], special=["[PAD]"])
