"""chrF of single sentences is sacrebleu's."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.chrf import CHRF

from dragoman.metrics.chrf import pairwise_chrf, sentence_chrf

TEXTS = ["", "a", "the cat sat", "the cat sat on the mat", "a mat", "  the  cat ", "यह एक किताब है।"]


def by_sacrebleu(output, reference):
    return CHRF().sentence_score(output, [reference]).score


@settings(max_examples=100, deadline=None)
@given(st.text("abc d", max_size=20), st.text("abc d", max_size=20))
def test_it_is_what_sacrebleu_says(output, reference):
    assert sentence_chrf(output, reference) == pytest.approx(by_sacrebleu(output, reference))


def test_all_pairs_at_once_are_what_each_pair_is_alone():
    pairs = pairwise_chrf(TEXTS)
    assert pairs.shape == (len(TEXTS), len(TEXTS))
    for row, output in enumerate(TEXTS):
        for column, reference in enumerate(TEXTS):
            wanted = sentence_chrf(output, reference)
            assert pairs[row, column] == pytest.approx(wanted, abs=1e-9)
            assert wanted == pytest.approx(by_sacrebleu(output, reference), abs=1e-9)


def test_equal_texts_have_all_and_strange_texts_nothing():
    assert sentence_chrf("the cat", "thecat") == pytest.approx(100)
    assert sentence_chrf("xyz", "abc") == 0.0
    assert sentence_chrf("", "") == 0.0
    assert pairwise_chrf([""]).tolist() == [[0.0]]
