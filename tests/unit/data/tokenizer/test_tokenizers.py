import time
import unicodedata

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dragoman.config.tokenizer import (
    BpeTokenizerSettings,
    CharacterTokenizerSettings,
    WordPieceTokenizerSettings,
    WordTokenizerSettings,
)
from dragoman.core.errors import DataError
from dragoman.data.formats.pair import Pair
from dragoman.data.tokenizer.bpe import LONGEST_WORD
from dragoman.data.tokenizer.escape import escape, normalize, unescape
from dragoman.data.tokenizer.special_tokens import (
    END,
    FIRST_PIECE,
    FIXED,
    PAD,
    PLACEHOLDER,
    START,
    UNKNOWN,
)
from dragoman.data.tokenizer.train import train_tokenizer_pair

PAIRS = [
    Pair("the lower the better, said the newest of the widest", "जितना कम उतना अच्छा"),
    Pair("low lower lowest new newer newest wide wider widest", "नया और सबसे नया <s> x<s> <0x41>"),
    Pair("banana bananas aaaa abab baba ｟0｠ costs ｟1｠", "केला और केले ｟0｠ aaab"),
] * 4
NASTY = st.lists(
    st.sampled_from(
        ["a", "b", "ab", "low", "er", " ", "  ", "\t", "▁", "\ufdd0", "\ufdd00", "0", "1", "नया"]
        + [
            "<s>",
            "</s>",
            "<unk>",
            "<pad>",
            "<0x41>",
            "｟0｠",
            "｟31｠",
            "｟32｠",
            "｟00｠",
            "｟",
            "｠",
        ]
        + ["e\u0301", "\u0301\u0316", "👩\u200d🚀", "\0", "\u2028", "\r", "\ufeff", "\U0010ffff"]
    )
).map("".join)
TEXT = st.one_of(NASTY, st.text(st.characters(codec="utf-8")))


@pytest.fixture(scope="module")
def bpe():
    return train_tokenizer_pair(BpeTokenizerSettings(vocab_size=420), PAIRS).source


@pytest.fixture(scope="module", params=["ratio", "likelihood", "count"])
def wordpiece(request):
    return train_tokenizer_pair(
        WordPieceTokenizerSettings(vocab_size=420, rank=request.param), PAIRS
    ).source


@pytest.fixture(scope="module")
def characters():
    return train_tokenizer_pair(CharacterTokenizerSettings(vocab_size=340), PAIRS).source


@pytest.fixture(scope="module")
def words():
    return train_tokenizer_pair(WordTokenizerSettings(vocab_size=310), PAIRS).source


@settings(max_examples=1000, deadline=None)
@given(TEXT)
@example("")
@example(" ")
@example("▁")
def test_any_text_comes_back_from_pieces_and_from_characters(bpe, characters, text):
    expected = unicodedata.normalize("NFC", text)
    assert bpe.decode(bpe.encode(text)) == expected
    assert characters.decode(characters.encode(text)) == expected


@settings(max_examples=100, deadline=None)
@given(TEXT)
@example("")
@example(" ")
@example("##")
@example("#### ##a")
def test_any_text_comes_back_from_the_longest_pieces(wordpiece, text):
    ids = wordpiece.encode(text)
    assert wordpiece.decode(ids) == unicodedata.normalize("NFC", text)
    assert not {PAD, UNKNOWN, START, END} & set(ids)


@settings(max_examples=300, deadline=None)
@given(TEXT)
def test_no_text_can_say_a_control_symbol(bpe, characters, words, text):
    for vocabulary in (bpe, characters):
        assert not {PAD, UNKNOWN, START, END} & set(vocabulary.encode(text))
    assert not {PAD, START, END} & set(words.encode(text))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.integers(-5, 1000) | st.just(2**70)))
def test_any_numbers_can_be_decoded(bpe, characters, words, ids):
    for vocabulary in (bpe, characters, words):
        assert isinstance(vocabulary.decode(ids), str)
        assert len(vocabulary.words(ids)) == len(ids)
        assert 0 <= vocabulary.unknown_rate(ids) <= 1


def test_padding_and_borders_say_nothing(bpe):
    ids = bpe.encode("the lower")
    assert bpe.decode([START, *ids, END, PAD, PAD]) == "the lower"
    assert bpe.decode(np.array(ids, dtype=np.uint16)) == "the lower"


def test_placeholders_keep_their_numbers_in_every_kind(bpe, characters, words):
    for vocabulary in (bpe, characters, words):
        assert vocabulary.pieces[:FIRST_PIECE] == list(FIXED)
        assert [n for n in vocabulary.encode("｟3｠ and ｟31｠") if 4 <= n < 36] == [7, 35]
        assert not [n for n in vocabulary.encode("｟32｠ ｟03｠") if 4 <= n < 36]


def test_no_piece_reaches_over_a_space_or_looks_like_a_fixed_symbol(bpe):
    assert all("▁" not in piece[1:] for piece in bpe.learned)
    assert not set(FIXED) & set(bpe.learned)
    assert "\ufdd0" not in "".join(bpe.learned)


def test_unknown_words_are_unknown_and_counted(words):
    ids = words.encode("the  zebra newest")
    assert ids[1] == UNKNOWN
    assert words.decode(ids) == "the <unk> newest"
    assert words.unknown_rate(ids) == pytest.approx(1 / 3)
    assert words.encode("<s> <pad> </s>") == [UNKNOWN] * 3


@pytest.mark.parametrize(
    "kind",
    [
        BpeTokenizerSettings,
        CharacterTokenizerSettings,
        WordPieceTokenizerSettings,
        WordTokenizerSettings,
    ],
)
def test_half_a_surrogate_pair_is_refused(kind):
    vocabulary = train_tokenizer_pair(kind(), PAIRS).source
    with pytest.raises(DataError, match=r"half a surrogate pair \(U\+D800\) at character 3"):
        vocabulary.encode("ab\ud800")
    with pytest.raises(DataError, match="surrogate"):
        train_tokenizer_pair(kind(), [Pair("a", "\udfff")])


def test_the_same_pairs_always_give_the_same_pieces_within_the_bound(bpe):
    again = train_tokenizer_pair(BpeTokenizerSettings(vocab_size=420), iter(PAIRS)).source
    assert again.pieces == bpe.pieces
    assert again.size <= 420
    roomy = train_tokenizer_pair(BpeTokenizerSettings(vocab_size=8000), PAIRS)
    assert roomy.source.size < 600
    assert any("the corpus holds no more (8,000 asked)" in line for line in roomy.findings)


def test_a_rare_character_is_spelled_in_bytes_and_that_is_said():
    tokenizer = train_tokenizer_pair(BpeTokenizerSettings(), [*PAIRS, Pair("ж", "a")])
    assert "ж" not in tokenizer.source.pieces
    assert tokenizer.source.words(tokenizer.source.encode("ж")) == ["▁", "<0xD0>", "<0xB6>"]
    assert any("1 characters of both sides are spelled in bytes" in s for s in tokenizer.findings)


def test_sides_are_shared_or_apart_as_asked():
    assert train_tokenizer_pair(BpeTokenizerSettings(shared=True), PAIRS).shared
    apart = train_tokenizer_pair(BpeTokenizerSettings(shared=False), PAIRS)
    assert not apart.shared
    assert "न" not in apart.source.pieces
    assert "न" in apart.target.pieces
    with pytest.raises(DataError, match="no sentence pairs"):
        train_tokenizer_pair(BpeTokenizerSettings(), [])


@settings(max_examples=300, deadline=None)
@given(TEXT)
def test_what_is_escaped_comes_back(text):
    assert unescape(escape(text)) == text
    assert "▁" not in escape(text)


MARKS = st.text(st.sampled_from("\u0301\u0316\u0344\u0f73\u0f71\u0e38\u05b0"), min_size=60)


@settings(max_examples=100, deadline=None)
@given(st.text(), MARKS, st.text())
def test_long_runs_of_combining_marks_are_composed_as_unicode_says(before, marks, after):
    text = "".join(c for c in f"{before}e{marks}{after}" if not "\ud800" <= c <= "\udfff")
    assert normalize(text) == unicodedata.normalize("NFC", text)


HOSTILE = [
    "a",
    "ab",
    " ",
    "\u0301",
    "\u0301\u0316",
    "\u0f73",
    "😀",
    "👩\u200d",
    "नमस्ते",
    "▁",
    "｟1｠",
]


def seconds(vocabulary, text):
    """Processor time: what else the machine does must not count."""
    begin = time.process_time()
    vocabulary.encode(text)
    return time.process_time() - begin


@pytest.mark.parametrize("unit", HOSTILE, ids=ascii)
def test_encoding_time_does_not_grow_with_the_square_of_the_text(bpe, unit):
    """Ten thousand would be the square; `benchmarks/encoding_time.py` measures what it is."""
    small, large = (unit * 1_000)[:1_000], (unit * 100_000)[:100_000]
    times = [min(seconds(bpe, text) for _ in range(3)) for text in (small, large)]
    assert times[1] / times[0] <= 1_000, times


@pytest.mark.parametrize("unit", HOSTILE, ids=ascii)
def test_each_character_is_cut_once_and_never_in_a_longer_part_than_the_limit(
    bpe, unit, monkeypatch
):
    parts = []

    class Counting:
        def tokenize(self, part):
            parts.append(part)
            return library.tokenize(part)

    library = bpe._library
    monkeypatch.setattr(bpe, "_library", Counting())
    monkeypatch.setattr(bpe, "_remembered", {})
    text = (unit * 10_000)[:10_000]
    bpe.encode(text)
    assert 0 < max(map(len, parts)) <= LONGEST_WORD
    escaped = PLACEHOLDER.sub("", escape(normalize(text)))
    assert sum(map(len, parts)) <= len(escaped) + 1  # a space goes before a text
