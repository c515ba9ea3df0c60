import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.config.tokenizer import BpeTokenizerSettings, WordTokenizerSettings
from dragoman.core.errors import DataError
from dragoman.data.formats.pair import Pair
from dragoman.data.tokenizer.bpe import BpeTokenizer
from dragoman.data.tokenizer.escape import escape, normalize
from dragoman.data.tokenizer.merges import segment
from dragoman.data.tokenizer.sentencepiece import to_sentencepiece
from dragoman.data.tokenizer.train import train_tokenizer_pair

NATURAL = [
    "the quick brown fox jumps over the lazy dog and the other dogs",
    "there is nothing either good or bad, but thinking makes it so",
    "तुम कल मेरे घर क्यों नहीं आए थे, मैं तुम्हारा इंतज़ार कर रहा था",
    "aaaa aaaaa abab ababab baab bbbb aabb bbaa",
]
TEXT = st.one_of(
    st.text(st.sampled_from("ab "), max_size=60),
    st.text(st.sampled_from("abtheor ▁\ufdd0｟0｠1नये<s>\u0301\0\t"), max_size=40),
    st.lists(st.sampled_from(["the", "other", "ing", "｟7｠", " ", "dog", "ab"])).map("".join),
    st.text(st.characters(codec="utf-8")),
)


@pytest.fixture(scope="module")
def vocabulary():
    pairs = [Pair(text, text[::-1]) for text in NATURAL] * 5
    return train_tokenizer_pair(BpeTokenizerSettings(vocab_size=500), pairs).source


@pytest.fixture(scope="module")
def model(vocabulary):
    package = pytest.importorskip("sentencepiece")
    return package.SentencePieceProcessor(model_proto=to_sentencepiece(vocabulary))


@settings(max_examples=1500, deadline=None)
@given(TEXT)
def test_sentencepiece_cuts_any_text_the_same_way(vocabulary, model, text):
    assert model.encode(escape(normalize(text))) == vocabulary.encode(text)


@pytest.mark.parametrize("text", NATURAL)
def test_sentencepiece_reads_and_writes_natural_text_the_same_way(vocabulary, model, text):
    ids = vocabulary.encode(text)
    assert model.encode(text) == ids
    assert model.decode(ids) == vocabulary.decode(ids) == normalize(text)


def test_sentencepiece_knows_the_same_symbols(vocabulary, model):
    assert model.vocab_size() == vocabulary.size
    assert [model.id_to_piece(n) for n in range(vocabulary.size)] == vocabulary.pieces
    assert (model.pad_id(), model.unk_id(), model.bos_id(), model.eos_id()) == (0, 1, 2, 3)


PIECE = st.text(st.sampled_from("abc"), min_size=2, max_size=5)


@settings(max_examples=500, deadline=None)
@given(st.lists(PIECE, unique=True, max_size=30), st.text(st.sampled_from("abc "), max_size=40))
def test_sentencepiece_agrees_for_any_pieces_in_any_order(learned, text):
    package = pytest.importorskip("sentencepiece")
    vocabulary = BpeTokenizer(["▁", "a", "b", "c", *learned])
    model = package.SentencePieceProcessor(model_proto=to_sentencepiece(vocabulary))
    assert model.encode(text) == vocabulary.encode(text)


@st.composite
def learned_pieces(draw):
    """Pieces made by joining earlier ones, as training makes them: each can be reached."""
    pieces = ["a", "b", "c"][: draw(st.integers(1, 3))]
    for _ in range(draw(st.integers(1, 20))):
        both = draw(st.sampled_from(pieces)) + draw(st.sampled_from(pieces))
        if both not in pieces and len(both) <= 10:
            pieces.append(both)
    return ["▁", *pieces]


@settings(max_examples=1000, deadline=None)
@given(learned_pieces(), st.text(st.sampled_from("abc"), min_size=1, max_size=40))
def test_the_written_out_merges_equal_the_library(learned, word):
    vocabulary = BpeTokenizer(learned)
    word = "".join(letter for letter in word if letter in learned) or "a"
    assert segment("▁" + word, vocabulary.ids) == vocabulary.words(vocabulary.encode(word))


@settings(max_examples=500, deadline=None)
@given(learned_pieces(), st.text(st.sampled_from("abc "), max_size=40))
def test_sentencepiece_agrees_where_pieces_were_learned_by_joining(learned, text):
    package = pytest.importorskip("sentencepiece")
    vocabulary = BpeTokenizer(learned)
    model = package.SentencePieceProcessor(model_proto=to_sentencepiece(vocabulary))
    assert model.encode(text) == vocabulary.encode(text)


@settings(max_examples=300, deadline=None)
@given(TEXT, st.floats(0, 1, exclude_max=True), st.integers(0, 2**32))
def test_dropout_changes_the_pieces_and_never_the_text(vocabulary, text, dropout, seed):
    ids = np.array(vocabulary.encode(text), dtype=np.int64)
    other = vocabulary.resegment(ids, dropout, np.random.default_rng(seed))
    assert vocabulary.decode(other) == vocabulary.decode(ids)
    assert other == vocabulary.resegment(ids, dropout, np.random.default_rng(seed))
    if dropout == 0:
        assert other == list(ids)


@settings(max_examples=300, deadline=None)
@given(TEXT)
def test_without_dropout_the_pieces_stay_as_they_are(vocabulary, text):
    ids = vocabulary.encode(text)
    assert vocabulary.resegment(np.array(ids), 0.0, np.random.default_rng(0)) == ids


def test_more_dropout_gives_more_pieces(vocabulary):
    ids = np.array(vocabulary.encode(" ".join(NATURAL)))
    lengths = [
        len(vocabulary.resegment(ids, dropout, np.random.default_rng(1)))
        for dropout in (0.0, 0.1, 0.5, 0.99)
    ]
    assert lengths == sorted(lengths)
    assert lengths[0] < lengths[1] < lengths[2]


def test_a_join_passed_over_once_may_be_made_later():
    class Chances:
        def __init__(self, *values):
            self.values = iter(values)

        def random(self):
            return next(self.values)

    ranks = {"ab": 0, "cd": 1}
    assert segment("abcd", ranks, 0.5, Chances(0.1, 0.9, 0.9)) == ["ab", "cd"]
    assert segment("abcd", ranks, 0.5, Chances(0.1, 0.1)) == ["a", "b", "c", "d"]


def test_words_cannot_become_a_sentencepiece_model():
    words = train_tokenizer_pair(WordTokenizerSettings(), [Pair("a", "b")]).source
    with pytest.raises(DataError, match="vocabulary of words .* tokenizer.kind=bpe"):
        to_sentencepiece(words)
