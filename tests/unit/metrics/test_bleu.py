import math
import subprocess
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from dragoman.core.errors import DataError
from dragoman.metrics.bleu import brevity_penalty, corpus_bleu, count, sentence_bleu

SMOOTHINGS = ["none", "floor", "add-k", "exp"]

# Few words, so that n-grams meet; marks, so that the tokenizer has something to cut.
words = st.sampled_from(["a", "b", "the", "cat", "3.5", "no.", "(yes)", "घर", "है।", "&amp;", "-"])
sentences = st.lists(words, max_size=9).map(" ".join)


@st.composite
def corpora(draw):
    size = draw(st.integers(1, 5))
    column = st.lists(sentences, min_size=size, max_size=size)
    return draw(column), draw(st.lists(column, min_size=1, max_size=3))


def cut(texts):
    tokenizer = Tokenizer13a()
    return [tokenizer(text.rstrip()).split() for text in texts]


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("effective", [False, True])
@settings(max_examples=120, deadline=None)
@given(corpus=corpora())
@example(corpus=([""], [["a b"]]))
@example(corpus=(["a b c d", ""], [["", ""], ["a b c e", "a"]]))
def test_a_corpus_scores_as_sacrebleu_scores_it(corpus, smoothing, effective):
    outputs, references = corpus
    theirs = BLEU(smooth_method=smoothing, effective_order=effective)
    expected = theirs.corpus_score(outputs, references)
    ours = corpus_bleu(
        cut(outputs),
        [cut(stream) for stream in references],
        smoothing=smoothing,
        effective_order=effective,
    )
    assert ours.score == pytest.approx(expected.score, abs=1e-9)
    assert ours.precisions == pytest.approx(expected.precisions, abs=1e-9)
    assert ours.brevity_penalty == pytest.approx(expected.bp, abs=1e-12)
    assert ours.counts.reference_length == expected.ref_len


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@settings(max_examples=120, deadline=None)
@given(output=sentences, references=st.lists(sentences, min_size=1, max_size=3))
def test_a_sentence_scores_as_sacrebleu_scores_it(output, references, smoothing):
    expected = BLEU(smooth_method=smoothing, effective_order=True).sentence_score(
        output, references
    )
    ours = sentence_bleu(cut([output])[0], cut(references), smoothing=smoothing)
    assert ours.score == pytest.approx(expected.score, abs=1e-9)


@pytest.mark.parametrize(("smoothing", "value"), [("floor", 0.01), ("add-k", 0.5)])
def test_the_amount_of_smoothing_can_be_chosen(smoothing, value):
    expected = BLEU(smooth_method=smoothing, smooth_value=value).corpus_score(
        ["a b c d e"], [["a b x d e"]]
    )
    ours = corpus_bleu(["abcde"], [["abxde"]], smoothing=smoothing, value=value)
    assert ours.score == pytest.approx(expected.score, abs=1e-9)


def test_the_reference_closest_in_length_counts_and_the_shorter_of_two():
    assert count(list("abcd"), [list("abcde"), list("abc"), list("a")]).reference_length == 3


def test_a_short_output_is_punished_and_a_long_one_is_not():
    assert brevity_penalty(5, 10) == pytest.approx(math.exp(-1))
    assert brevity_penalty(10, 5) == 1.0
    assert brevity_penalty(0, 5) == 0.0


def test_columns_of_unequal_length_are_refused():
    with pytest.raises(DataError, match="2 outputs but 1 references"):
        corpus_bleu([["a"], ["b"]], [[["a"]]])
    with pytest.raises(DataError, match="no reference"):
        sentence_bleu(["a"], [])


def test_importing_it_brings_in_nothing_heavy():
    code = (
        "import sys, dragoman.metrics.bleu, dragoman.metrics.scores\n"
        "heavy = {'torch', 'numpy', 'sacrebleu', 'matplotlib'} & set(sys.modules)\n"
        "sys.exit(', '.join(heavy) or 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
