"""Subwords and the words they are parts of, for what is seen by subword and told by word."""

from collections.abc import Sequence

import numpy as np

from dragoman.data.tokenizer.tokenizer import SILENT, Tokenizer


def words_of_subwords(tokenizer: Tokenizer, ids: Sequence[int]) -> list[int]:
    """Return the number of the word, as spaces part them, that each subword belongs to.

    START and END are words of their own.
    """
    numbers: list[int] = []
    word, apart = -1, True
    for number in ids:
        mark = number in SILENT
        if apart or mark or tokenizer.begins_word(number):
            word += 1
        apart = mark
        numbers.append(word)
    return numbers


def word_texts(tokenizer: Tokenizer, ids: Sequence[int], words: Sequence[int]) -> list[str]:
    """Return the text of each word."""
    texts = []
    for word in range(words[-1] + 1 if words else 0):
        own = [number for number, place in zip(ids, words, strict=True) if place == word]
        texts.append(tokenizer.decode(own).strip() or "".join(tokenizer.words(own)))
    return texts


def join_subwords(weights: np.ndarray, rows: Sequence[int], columns: Sequence[int]) -> np.ndarray:
    """Join subwords to words: what is looked at adds up, and of those who look the mean is taken.

    `rows` and `columns` name the word of each subword of the last two axes.
    """
    summed = np.add.reduceat(weights, _begins(columns), axis=-1)
    sizes = np.bincount(rows)
    return np.add.reduceat(summed, _begins(rows), axis=-2) / sizes[:, None]


def _begins(words: Sequence[int]) -> np.ndarray:
    return np.unique(np.asarray(words), return_index=True)[1]
