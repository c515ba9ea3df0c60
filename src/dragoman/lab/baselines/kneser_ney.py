"""An n-gram language model with interpolated Kneser–Ney smoothing (Kneser & Ney 1995).

How likely is w after the n−1 tokens h before it? With h⁻ for h without its first token:

    P(w | h)  =  ( max(c(hw) − D, 0)  +  D · N(h) · P(w | h⁻) ) / Σ c(h·)

A part D of each count is taken away and given to what was never seen after h, as the next shorter
context divides it; N(h) is the number of different tokens seen after h. Below the shortest context
every token of the vocabulary is equally likely. A context that was never seen is passed over.

For the longest n-grams c is how often they were seen. For shorter ones it is the number of
different tokens they were seen after: "Francisco" may be frequent, but it follows "San" alone, so
after anything else it is not to be expected. An n-gram that only begins texts has nothing before
it, and keeps its count. D is n₁ / (n₁ + 2 n₂) for each length (Ney et al. 1994), where n₁ and n₂
n-grams have counts of 1 and 2.

N-grams live in sorted arrays, each as (number of its context among the shorter ones, last token),
so that millions of tokens are counted by sorting, in seconds.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman.core.errors import ConfigError, DataError
from dragoman.data.tokenizer.special_tokens import END, START
from dragoman.metrics.perplexity import Perplexity, perplexity

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]
Texts = Iterable[Sequence[int] | Numbers]

UNSEEN = -1
EVEN = 0.5
"""The discount where no n-gram was seen once, so that nothing becomes impossible."""


@dataclass(frozen=True)
class Length:
    """All n-grams of one length."""

    keys: Numbers
    """context · vocabulary + last token, rising; the place in here is the n-gram's number."""

    counts: Floats
    """c, in the same order."""

    totals: Floats
    """Σ c(h·) by the number of the context, 0 where nothing follows it."""

    kinds: Floats
    """N(h), likewise."""

    discount: float


@dataclass(frozen=True, slots=True)
class Surprise:
    """How surprised the model is by some texts."""

    tokens: Perplexity
    bits_per_byte: float
    """For comparing vocabularies: bytes of text are the same for all."""


class KneserNey:
    """The counts of a training text, and what they say of other texts."""

    def __init__(self, lengths: Sequence[Length], vocabulary: int) -> None:
        self.lengths = tuple(lengths)
        self.vocabulary = vocabulary

    @classmethod
    def fit(cls, texts: Texts, *, order: int, vocabulary: int) -> "KneserNey":
        """Count the n-grams of some texts, given as token numbers without START and END."""
        if order < 1:
            raise ConfigError(f"kneser-ney: n-grams of {order} tokens; use 1 or more.")
        tokens, place = _rows(texts, vocabulary)
        numbers = np.zeros(len(tokens), dtype=np.int64)  # of the n-gram that ends here: all empty
        lengths: list[Length] = []
        contexts, keys, seen = 1, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        for n in range(1, order + 1):
            (ends,) = np.nonzero(place >= n - 1)
            key = _contexts(numbers, ends, n) * vocabulary + tokens[ends]
            longer, first, number, times = np.unique(
                key, return_index=True, return_inverse=True, return_counts=True
            )
            if n > 1:  # each longer one tells of one more token before its own end
                after = np.bincount(numbers[ends[first]], minlength=len(keys))
                counts = np.where(after, after, seen)
                lengths.append(_length(keys, counts, contexts, vocabulary))
                contexts = len(keys)
            keys, seen = longer, np.where(longer == START, 0, times) if n == 1 else times
            numbers = np.full(len(tokens), UNSEEN, dtype=np.int64)
            numbers[ends] = number
        lengths.append(_length(keys, seen, contexts, vocabulary))
        return cls(lengths, vocabulary)

    def probabilities(self, texts: Texts) -> list[Floats]:
        """Return how likely each token of each text was, and END after them."""
        tokens, place = _rows(texts, self.vocabulary)
        likely = np.full(len(tokens), 1 / self.vocabulary)
        numbers = np.zeros(len(tokens), dtype=np.int64)
        for n, length in enumerate(self.lengths, 1):
            (ends,) = np.nonzero(place >= n - 1)
            context = _contexts(numbers, ends, n)
            ends, context = ends[context != UNSEEN], context[context != UNSEEN]
            at = _find(length.keys, context * self.vocabulary + tokens[ends])
            numbers = np.full(len(tokens), UNSEEN, dtype=np.int64)
            numbers[ends] = at
            total = length.totals[context]
            asked = (place[ends] > 0) & (total > 0)
            ends, context, at, total = ends[asked], context[asked], at[asked], total[asked]
            kept = np.where(at == UNSEEN, 0, np.maximum(length.counts[at] - length.discount, 0))
            likely[ends] = (kept + length.discount * length.kinds[context] * likely[ends]) / total
        (begins,) = np.nonzero(place == 0)
        return [row[1:] for row in np.split(likely, begins[1:])]

    def distribution(self, before: Sequence[int]) -> Floats:
        """Return how likely each token of the vocabulary is after the beginning of a text."""
        tokens, _ = _rows([before], self.vocabulary)
        row = tokens[:-1]  # without END
        likely = np.full(self.vocabulary, 1 / self.vocabulary)
        for n, length in enumerate(self.lengths[: len(row) + 1], 1):
            context = self._number(row[len(row) - n + 1 :])
            if context == UNSEEN or not length.totals[context]:
                continue
            first, last = np.searchsorted(
                length.keys, [context * self.vocabulary, (context + 1) * self.vocabulary]
            )
            likely *= length.discount * length.kinds[context] / length.totals[context]
            following = length.keys[first:last] - context * self.vocabulary
            kept = np.maximum(length.counts[first:last] - length.discount, 0)
            likely[following] += kept / length.totals[context]
        return likely

    def surprise(self, texts: Texts, size: int) -> Surprise:
        """Judge texts of `size` bytes in all; END counts as a token of each."""
        each = np.concatenate(self.probabilities(texts))
        nats = float(-np.log(each).sum())
        if size < 1:
            raise DataError(f"kneser-ney: texts of {size} bytes; give at least one byte.")
        return Surprise(perplexity(nats, len(each)), nats / math.log(2) / size)

    def _number(self, ngram: Numbers) -> int:
        """Return the number of an n-gram among those of its length."""
        number = 0
        for length, token in zip(self.lengths, ngram, strict=False):
            if number == UNSEEN:
                break
            key = np.array([number * self.vocabulary + token])
            number = int(_find(length.keys, key)[0])
        return number


def _rows(texts: Texts, vocabulary: int) -> tuple[Numbers, Numbers]:
    """Write START, a text and END one after the other, and how far each token is from START."""
    rows = [np.asarray(text, dtype=np.int64) for text in texts]
    if not rows:
        raise DataError("kneser-ney: no texts; give at least one.")
    lengths = np.array([len(row) + 2 for row in rows])
    tokens = np.concatenate([part for row in rows for part in ([START], row, [END])])
    if tokens.min() < 0 or tokens.max() >= vocabulary:
        raise DataError(
            f"kneser-ney: a text holds token {tokens.min() if tokens.min() < 0 else tokens.max()}, "
            f"where 0 to {vocabulary - 1} are in the vocabulary."
        )
    begins = np.cumsum(lengths) - lengths
    return tokens, np.arange(len(tokens)) - np.repeat(begins, lengths)


def _contexts(numbers: Numbers, ends: Numbers, n: int) -> Numbers:
    """Return the number of the n−1 tokens before each end; `numbers` are those of n−1 tokens."""
    return numbers[ends] if n == 1 else numbers[ends - 1]


def _length(keys: Numbers, counts: Numbers, contexts: int, vocabulary: int) -> Length:
    context = keys // vocabulary
    once, twice = (int((counts == times).sum()) for times in (1, 2))
    return Length(
        keys=keys,
        counts=counts.astype(np.float64),
        totals=np.bincount(context, counts, contexts).astype(np.float64),
        kinds=np.bincount(context[counts > 0], minlength=contexts).astype(np.float64),
        discount=once / (once + 2 * twice) if once else EVEN,
    )


def _find(keys: Numbers, wanted: Numbers) -> Numbers:
    """Return the places of numbers in a rising array, UNSEEN for those that are not there."""
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, at, UNSEEN)
