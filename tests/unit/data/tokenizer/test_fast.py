"""A vocabulary of ours as a tokenizer.json: the library cuts and joins exactly as we do."""

import json
import unicodedata

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as Library
from tokenizers import normalizers

from dragoman.config.tokenizer import (
    BpeTokenizerSettings,
    CharacterTokenizerSettings,
    WordPieceTokenizerSettings,
    WordTokenizerSettings,
)
from dragoman.core.errors import DataError
from dragoman.data.formats.pair import Pair
from dragoman.data.formats.placeholders import split_tags
from dragoman.data.tokenizer.fast import fast_settings, has_fast, to_fast
from dragoman.data.tokenizer.special_tokens import END, PLACEHOLDER_IDS, START
from dragoman.data.tokenizer.train import train_tokenizer_pair

TEXTS = ["the king sings", "déjà vu, le roi", "日本語 の テキスト", "नमस्ते दुनिया", "x▁y <s> 44"]
PAIRS = [Pair(a, b) for a in TEXTS for b in TEXTS]
KINDS = {
    "bpe": BpeTokenizerSettings(vocab_size=400),
    "characters": CharacterTokenizerSettings(vocab_size=330),
    "words": WordTokenizerSettings(vocab_size=310, shared=True),
}
ODD = [
    *(" ", "  ", "▁", "\ufdd0", "\ufdd00", "\ufdd01", "é", "e\u0301", "\u0323\u0307", "\n", "\t"),
    *(
        "👨‍👩‍👧",
        "😀",
        "｟3｠",
        "｟31｠ ",
        "｟15｠ ",
        "｟16｠",
        "｟32｠",
        "<s>",
        "</s>",
        "<pad>",
        "<unk>",
    ),
    *("<0x41>", "the ", "king", "日", "क्ष", "\x00", "a\u00a0b"),
]


@pytest.fixture(scope="module", params=KINDS)
def both(request):
    """Give one of our tokenizers, and the library with the file that was made of it."""
    ours = train_tokenizer_pair(KINDS[request.param], PAIRS)
    library = Library.from_str(to_fast(ours.source))
    library.encode_special_tokens = fast_settings()["split_special_tokens"]
    return ours, library


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(ODD), st.text(max_size=4)), max_size=8).map("".join))
def test_any_text_has_the_same_numbers_and_comes_back_the_same(both, text):
    ours, library = both
    assume(normalizers.NFC().normalize_str(text) == unicodedata.normalize("NFC", text))
    assume(text not in PLACEHOLDER_IDS)  # the one text to which the library puts no ▁
    tags, rest = split_tags(text)
    assume(not tags or (rest and len(tags.split()) <= 2))
    numbers = ours.encode_source(text)
    assert library.encode(text, add_special_tokens=False).ids == numbers
    assert library.decode(numbers, skip_special_tokens=False) == ours.source.decode(numbers)


def test_a_text_gets_its_end_and_marks_are_left_out_again(both):
    ours, library = both
    numbers = library.encode("the king").ids
    assert numbers == [*ours.encode_source("the king"), END]
    assert library.decode([START, *numbers]) == "the king"


def test_other_marks_can_be_put_around(both):
    ours, _ = both
    library = Library.from_str(to_fast(ours.source, ("<s>", "$A", "｟16｠")))
    assert library.encode("the king").ids == [
        START,
        *ours.source.encode("the king"),
        PLACEHOLDER_IDS["｟16｠"],
    ]


def test_two_tags_stand_side_by_side(both):
    ours, library = both
    text = "｟31｠ ｟15｠ the king"
    assert library.encode(text, add_special_tokens=False).ids == ours.encode_source(text)


def test_every_entry_keeps_its_number(both):
    ours, library = both
    numbers = library.get_vocab(with_added_tokens=True)
    assert numbers == {piece: number for number, piece in enumerate(ours.source.pieces)}


def test_word_pieces_are_refused_for_their_bytes():
    vocabulary = train_tokenizer_pair(WordPieceTokenizerSettings(vocab_size=400), PAIRS).source
    assert not has_fast(vocabulary)
    with pytest.raises(DataError, match=r"wordpiece cannot be a tokenizer.json"):
        to_fast(vocabulary)


def test_the_file_is_plain_json(both):
    ours, _ = both
    assert json.loads(to_fast(ours.source))["version"] == "1.0"
