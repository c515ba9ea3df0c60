"""Sentences as a tagger reads them."""

import numpy as np
import pytest
from tokenizers import Tokenizer as Library
from tokenizers import models, normalizers, pre_tokenizers

from dragoman.config.batches import BatchSettings
from dragoman.config.tokenizer import (
    BpeTokenizerSettings,
    CharacterTokenizerSettings,
    WordPieceTokenizerSettings,
    WordTokenizerSettings,
)
from dragoman.data.batching.store import write_store
from dragoman.data.tokenizer.imported import ImportedTokenizer
from dragoman.data.tokenizer.special_tokens import OURS
from dragoman.data.tokenizer.train import train_tokenizer
from dragoman.tasks.tagging.batches import (
    IGNORED,
    TagStream,
    gather,
    make_tag_batch,
    portions,
    subwords_of,
    targets_of,
)

WORDS = ["The", "unhappy", "किताब", "don't", "☃", "co-operate", "."]
TEXTS = ["The unhappy cook reads", "unhappy books don't cook", "The books read ."] * 4


def byte_level():
    library = Library(models.BPE(vocab={one: n for n, one in enumerate(alphabet())}, merges=[]))
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return ImportedTokenizer(library.to_str())


def alphabet():
    return sorted(pre_tokenizers.ByteLevel.alphabet())


def bert():
    words = ["[UNK]", "the", "un", "##happy", "don", "'", "t", "co", "-", "operate", "."]
    library = Library(
        models.WordPiece(vocab={w: n for n, w in enumerate(words)}, unk_token="[UNK]")
    )
    library.normalizer = normalizers.BertNormalizer()
    library.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return ImportedTokenizer(library.to_str())


OWN = {
    "bpe": BpeTokenizerSettings(vocab_size=320),
    "wordpiece": WordPieceTokenizerSettings(vocab_size=320),
    "words": WordTokenizerSettings(vocab_size=320),
    "characters": CharacterTokenizerSettings(vocab_size=320),
}


@pytest.fixture(scope="module")
def tokenizers():
    own = {name: train_tokenizer(one, iter(TEXTS), []) for name, one in OWN.items()}
    return {**own, "byte-level": byte_level(), "bert": bert()}


KINDS = [*OWN, "byte-level", "bert"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_subwords_of_the_words_are_those_of_the_sentence(tokenizers, kind):
    tokenizer = tokenizers[kind]
    found = subwords_of(tokenizer, WORDS)
    assert len(found) == len(WORDS)
    assert all(found)
    assert [one for word in found for one in word] == tokenizer.encode(" ".join(WORDS))
    assert subwords_of(tokenizer, []) == []


def test_a_word_of_which_nothing_is_left_is_unknown(tokenizers):
    """BERT takes control characters away; each word needs a place for its label all the same."""
    tokenizer = tokenizers["bert"]
    assert tokenizer.encode("\x01") == []
    assert subwords_of(tokenizer, ["the", "\x01", "."])[1] == [tokenizer.unknown]


@pytest.mark.parametrize("longest", [3, 5, 8, 100])
def test_portions_have_every_word_once_and_room_for_the_marks(longest):
    subwords = [[1], [2, 3], [4, 5, 6], [7], [8, 9, 10, 11, 12, 13, 14], [15]]
    found = [*portions(subwords, longest)]
    assert max(len(one.tokens) for one in found) <= longest - 2
    firsts = [one.tokens[place] for one in found for place in one.first]
    assert firsts == [word[0] for word in subwords]
    if longest == 100:
        (whole,) = found
        assert whole.tokens == tuple(range(1, 16))
        assert whole.first == (0, 1, 3, 6, 7, 14)


def test_labels_stand_at_first_subwords_and_nothing_is_asked_elsewhere():
    (short,) = portions([[30], [31, 32]], 9)
    (long,) = portions([[40, 41], [42], [43]], 9)
    rows = [(one.tokens, targets_of(one, [5, 0, 2][: len(one.first)])) for one in (short, long)]
    batch = make_tag_batch(rows, np.arange(2), OURS)
    start, end, pad = OURS.start, OURS.end, OURS.padding
    assert batch.tokens.tolist() == [
        [start, 30, 31, 32, end, pad],
        [start, 40, 41, 42, 43, end],
    ]
    no = IGNORED
    assert batch.labels.tolist() == [[no, 5, 0, no, no, no], [no, 5, no, 0, 2, no]]


def test_every_row_comes_once_an_epoch_from_the_store(tmp_path):
    rows = [([40 + n] * (n % 5 + 1), [n + 1] + [0] * (n % 5)) for n in range(30)]
    store = write_store(tmp_path, "train", rows)
    stream = TagStream(store, BatchSettings(max_tokens=20, max_length=8), 1, OURS)
    plan = stream.plan(0)
    batches = [stream.batch(plan, number, 0) for number in range(len(plan))]
    assert sorted(n for batch in batches for n in batch.examples) == [*range(30)]
    for batch in batches:
        for example, tokens, labels in zip(batch.examples, batch.tokens, batch.labels, strict=True):
            assert tokens[1] == 40 + example
            assert labels[1] == example
            assert (labels != IGNORED).sum() == 1
    gathered = gather(rows, BatchSettings(max_tokens=20, max_length=8), OURS)
    assert sorted(n for batch in gathered for n in batch.examples) == [*range(30)]
