import numpy as np
import pytest

from dragoman.data.batching.lexicon import lexical_vectors
from dragoman.data.batching.store import write_store
from dragoman.data.tokenizer.special_tokens import FIRST_PIECE

WORDS, WIDTH = 40, 16


@pytest.fixture
def store(tmp_path):
    """Word n of the source is word n + 100 of the target, in another order, with a function word
    that stands in every target."""
    random = np.random.default_rng(1)

    def pairs():
        for _ in range(600):
            words = random.choice(WORDS, size=int(random.integers(2, 7)), replace=False)
            target = random.permutation(words) + FIRST_PIECE + 100
            yield [int(n) + FIRST_PIECE for n in words], [FIRST_PIECE + 99, *map(int, target)]

    return write_store(tmp_path, "train", pairs())


SIZES = (FIRST_PIECE + WORDS, FIRST_PIECE + 100 + WORDS)


def test_a_word_and_its_translation_point_the_same_way(store):
    source, target = lexical_vectors(store, SIZES, WIDTH)
    likeness = source[FIRST_PIECE:] @ target.T
    assert (likeness.argmax(1) == FIRST_PIECE + 100 + np.arange(WORDS)).mean() > 0.95


def test_each_entry_has_a_vector_of_length_one_or_none(store):
    for vectors in lexical_vectors(store, SIZES, WIDTH):
        lengths = np.linalg.norm(vectors, axis=1)
        assert np.all((lengths < 1e-6) | (abs(lengths - 1) < 1e-4))


def test_what_never_occurs_is_left_at_nothing(store):
    source, target = lexical_vectors(store, (SIZES[0] + 5, SIZES[1]), WIDTH)
    assert not source[-5:].any()
    assert not source[:FIRST_PIECE].any()


def test_the_same_store_gives_the_same_vectors(store):
    first, second = (lexical_vectors(store, SIZES, WIDTH) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def test_more_numbers_than_there_are_words_are_filled_with_nothing(tmp_path):
    tiny = write_store(tmp_path, "train", [([FIRST_PIECE], [FIRST_PIECE + 1])] * 30)
    source, _ = lexical_vectors(tiny, (FIRST_PIECE + 2, FIRST_PIECE + 2), 512)
    assert source.shape == (FIRST_PIECE + 2, 512)
    assert np.isfinite(source).all()


def test_a_store_of_overlong_sentences_teaches_nothing_and_breaks_nothing(tmp_path):
    long = write_store(tmp_path, "train", [([FIRST_PIECE] * 90, [FIRST_PIECE] * 90)] * 3)
    source, target = lexical_vectors(long, (FIRST_PIECE + 1, FIRST_PIECE + 1), 8)
    assert not source.any()
    assert not target.any()
