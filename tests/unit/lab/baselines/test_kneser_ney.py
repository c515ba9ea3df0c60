import math
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.core.errors import ConfigError, DataError
from dragoman.data.tokenizer.special_tokens import END, START
from dragoman.lab.baselines.kneser_ney import KneserNey

VOCABULARY = 9
TOKENS = st.sampled_from([1, 4, 5, 6, 7])
TEXTS = st.lists(st.lists(TOKENS, max_size=12), min_size=1, max_size=6)


class Slow:
    """The definition with dictionaries, one n-gram at a time."""

    def __init__(self, texts, order):
        rows = [(START, *text, END) for text in texts]
        self.order = order
        seen = Counter(
            row[at - n + 1 : at + 1]
            for row in rows
            for n in range(1, order + 1)
            for at in range(1, len(row))
            if at - n + 1 >= 0
        )
        before = defaultdict(set)
        for ngram in seen:
            before[ngram[1:]].add(ngram[0])
        self.counts = {
            ngram: len(before[ngram]) if len(ngram) < order and before[ngram] else count
            for ngram, count in seen.items()
        }
        self.discounts = {}
        for n in range(1, order + 1):
            kinds = Counter(count for ngram, count in self.counts.items() if len(ngram) == n)
            self.discounts[n] = kinds[1] / (kinds[1] + 2 * kinds[2]) if kinds[1] else 0.5

    def probability(self, token, context):
        """Go down from the longest context; `context` begins with START."""
        context = tuple(context)[-(self.order - 1) :] if self.order > 1 else ()
        return self._at(token, context)

    def _at(self, token, context):
        lower = self._at(token, context[1:]) if context else 1 / VOCABULARY
        after = {g: c for g, c in self.counts.items() if g[:-1] == context}
        if not after:
            return lower
        discount = self.discounts[len(context) + 1]
        kept = max(self.counts.get((*context, token), 0) - discount, 0)
        return (kept + discount * len(after) * lower) / sum(after.values())


@settings(max_examples=30, deadline=None)
@given(TEXTS, st.integers(1, 5), st.lists(TOKENS, max_size=6))
def test_sorted_arrays_give_what_the_definition_gives(texts, order, other):
    model, slow = KneserNey.fit(texts, order=order, vocabulary=VOCABULARY), Slow(texts, order)
    for text, found in zip((other, texts[0]), model.probabilities([other, texts[0]]), strict=True):
        row = [START, *text, END]
        expected = [slow.probability(row[at], row[:at]) for at in range(1, len(row))]
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    found = model.distribution(other)
    expected = [slow.probability(token, [START, *other]) for token in range(VOCABULARY)]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@settings(max_examples=30, deadline=None)
@given(TEXTS, st.integers(1, 5), st.lists(st.integers(0, VOCABULARY - 1), max_size=8))
def test_all_tokens_after_any_beginning_sum_to_one_and_none_is_impossible(texts, order, before):
    likely = KneserNey.fit(texts, order=order, vocabulary=VOCABULARY).distribution(before)
    assert likely.sum() == pytest.approx(1)
    assert likely.min() > 0


def test_a_frequent_token_that_follows_one_other_alone_is_not_expected_elsewhere():
    san, francisco, dog, others = 4, 5, 6, range(7, 15)
    texts = [[san, francisco]] * 20 + [[other, dog] for other in others]
    model = KneserNey.fit(texts, order=2, vocabulary=20)
    likely = model.distribution([19])  # never seen, so the shorter context speaks
    assert likely[dog] > 3 * likely[francisco]
    assert model.distribution([san])[francisco] > 0.9


def test_a_longer_context_surprises_less_where_it_tells_more():
    cycle = [4, 4, 5, 4, 5, 6] * 30
    surprises = [
        KneserNey.fit([cycle], order=order, vocabulary=8).surprise([cycle[:60]], 60)
        for order in (1, 2, 3, 4)
    ]
    figures = [surprise.tokens.perplexity for surprise in surprises]
    assert figures == sorted(figures, reverse=True)
    assert figures[-1] < 1.3


def test_surprise_is_counted_per_token_with_the_end_and_per_byte():
    model = KneserNey.fit([[4, 5], [4]], order=2, vocabulary=8)
    texts = [[4, 5, 6], []]
    nats = -sum(math.log(p) for row in model.probabilities(texts) for p in row)
    found = model.surprise(texts, 10)
    assert found.tokens.nats_per_token == pytest.approx(nats / 5)
    assert found.bits_per_byte == pytest.approx(nats / math.log(2) / 10)


def test_the_discount_is_estimated_from_what_was_seen_once_and_twice():
    model = KneserNey.fit([[4], [4], [5], [6], [7], [7], [7]], order=1, vocabulary=8)
    assert model.lengths[0].discount == pytest.approx(2 / (2 + 2 * 1))  # 5, 6; 4


def test_arrays_and_lists_are_the_same_to_it():
    texts = [[4, 5, 6], [4, 6]]
    one = KneserNey.fit(texts, order=3, vocabulary=8).distribution([4])
    other = KneserNey.fit(map(np.array, texts), order=3, vocabulary=8).distribution(np.array([4]))
    np.testing.assert_array_equal(one, other)


def test_what_cannot_be_counted_is_refused():
    with pytest.raises(ConfigError, match="n-grams of 0 tokens"):
        KneserNey.fit([[4]], order=0, vocabulary=8)
    with pytest.raises(DataError, match="no texts"):
        KneserNey.fit([], order=2, vocabulary=8)
    with pytest.raises(DataError, match="token 8, where 0 to 7 are in the vocabulary"):
        KneserNey.fit([[8]], order=2, vocabulary=8)
    model = KneserNey.fit([[4]], order=2, vocabulary=8)
    with pytest.raises(DataError, match="token -1"):
        model.distribution([-1])
    with pytest.raises(DataError, match="0 bytes"):
        model.surprise([[4]], 0)
