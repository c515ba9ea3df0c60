"""The filters of sampling, equal to those of transformers."""

import pytest
import torch
from transformers.generation import logits_process as theirs

from dragoman.config.sampling import SamplingSettings
from dragoman.neural.decoding.filters import apply_filters, forbid, keep_top_k, keep_top_p, penalize

ROWS, WORDS = 6, 40


@pytest.fixture
def scores():
    return 3 * torch.randn((ROWS, WORDS), generator=torch.Generator().manual_seed(1))


@pytest.fixture
def before():
    return torch.randint(0, WORDS, (ROWS, 9), generator=torch.Generator().manual_seed(2))


def same(ours, other):
    torch.testing.assert_close(ours, other, rtol=0, atol=0)


@pytest.mark.parametrize("count", [1, 5, 39, 40, 100])
def test_top_k_is_that_of_transformers(scores, count):
    same(keep_top_k(scores, count), theirs.TopKLogitsWarper(count)(None, scores))


@pytest.mark.parametrize("probability", [0.01, 0.3, 0.5, 0.9, 0.999, 1.0])
def test_top_p_is_that_of_transformers(scores, probability):
    same(keep_top_p(scores, probability), theirs.TopPLogitsWarper(probability)(None, scores))


@pytest.mark.parametrize("penalty", [0.5, 1.0, 1.3, 2.0])
@pytest.mark.parametrize("log_probabilities", [False, True])
def test_the_repetition_penalty_is_that_of_transformers(scores, before, penalty, log_probabilities):
    scores = scores.log_softmax(1) if log_probabilities else scores
    other = theirs.RepetitionPenaltyLogitsProcessor(penalty)(before, scores)
    same(penalize(scores, before, penalty), other)


@pytest.mark.parametrize("temperature", [0.3, 1.0, 2.5])
@pytest.mark.parametrize("top_k", [0, 7])
@pytest.mark.parametrize("top_p", [0.7, 1.0])
def test_all_together_are_those_of_transformers(scores, before, temperature, top_k, top_p):
    settings = SamplingSettings(
        temperature=temperature, top_k=top_k, top_p=top_p, repetition_penalty=1.2
    )
    theirs_in_order = [
        theirs.RepetitionPenaltyLogitsProcessor(1.2),
        theirs.SuppressTokensLogitsProcessor([3, 8]),
        theirs.TemperatureLogitsWarper(temperature),
        *([theirs.TopKLogitsWarper(top_k)] if top_k else []),
        *([theirs.TopPLogitsWarper(top_p)] if top_p < 1 else []),
    ]
    other = scores
    for each in theirs_in_order:
        other = each(before, other)
    same(apply_filters(scores, before, settings, (3, 8)), other)


def test_without_settings_the_scores_stay(scores, before):
    same(apply_filters(scores, before, SamplingSettings()), scores)


def test_the_likeliest_stays_whatever_is_filtered(scores, before):
    settings = SamplingSettings(temperature=0.01, top_k=1, top_p=0.001)
    left = apply_filters(scores, before, settings)
    assert torch.equal(left.argmax(1), scores.argmax(1))
    assert left.isfinite().sum(1).tolist() == [1] * ROWS


def test_equals_of_the_last_kept_stay_with_it():
    scores = torch.tensor([[1.0, 2.0, 2.0, 0.0]])
    assert keep_top_k(scores, 1).isfinite().tolist() == [[False, True, True, False]]


def test_the_nucleus_is_the_fewest_tokens_that_reach_the_probability():
    scores = torch.tensor([[0.1, 0.5, 0.15, 0.25]]).log()
    for probability, kept in ((0.4, 1), (0.6, 2), (0.74, 2), (0.8, 3), (0.95, 4)):
        left = keep_top_p(scores, probability).isfinite()
        assert left.sum() == kept
        assert left[0, scores[0].argsort(descending=True)[:kept]].all()


def test_nothing_is_written_into_the_model_s_scores(scores, before):
    kept = scores.clone()
    settings = SamplingSettings(temperature=0.5, top_k=3, top_p=0.5, repetition_penalty=2.0)
    apply_filters(scores, before, settings, (1,))
    forbid(scores, (1,))
    same(scores, kept)
