import math

import pytest
from sacrebleu.significance import PairedTest

from dragoman.core.errors import ConfigError, DataError
from dragoman.metrics.by_length import by_length
from dragoman.metrics.perplexity import perplexity
from dragoman.metrics.scores import METRICS, build_metric, score
from dragoman.metrics.significance import compare

TRUTH = [f"sentence number {i} says that we saw {i % 7} birds today" for i in range(60)]
WORSE = [line.replace("birds", "dogs").replace("today", "then") for line in TRUTH]


def test_every_sentence_falls_into_one_bucket_by_its_source_words():
    sources = ["", "one two", "one two three", "a b c d e f g"]
    rows = by_length(sources, TRUTH[:4], [TRUTH[:4]], edges=(2, 4, 6))
    assert [(row.bucket, row.sentences) for row in rows] == [("≤ 2", 2), ("3–4", 1), ("> 6", 1)]
    assert all(row.exact == 100.0 and row.bleu == pytest.approx(100.0) for row in rows)


def test_one_bucket_for_all_has_the_scores_of_the_corpus():
    (row,) = by_length(TRUTH, WORSE, [TRUTH], edges=(100,))
    whole = score(WORSE, [TRUTH], metrics=("bleu", "chrf"))
    assert (row.bleu, row.chrf) == (whole["bleu"].value, whole["chrf"].value)
    assert row.exact == 0.0


def test_buckets_need_rising_edges_and_a_source_for_each_output():
    with pytest.raises(ConfigError, match="must rise"):
        by_length(["a"], ["a"], [["a"]], edges=(5, 5))
    with pytest.raises(DataError, match="2 sources but 1 outputs"):
        by_length(["a", "b"], ["a"], [["a"]])


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter"])
def test_a_plain_difference_is_found_whichever_comes_first(metric):
    found = compare(WORSE, TRUTH, [TRUTH], metric=metric, draws=100)
    assert found.significant
    assert found.p_value < 0.05
    assert found.verdict.startswith("The second system is better")
    assert found.second.low <= found.second.mean <= found.second.high
    turned = compare(TRUTH, WORSE, [TRUTH], metric=metric, draws=100)
    assert turned.verdict.startswith("The first system is better")


@pytest.mark.parametrize("metric", METRICS)
def test_a_comparison_is_that_of_sacrebleu_s_paired_bootstrap(metric):
    noisy = [*WORSE[:40], *TRUTH[40:]]
    found = compare(noisy, WORSE, [TRUTH], metric=metric, draws=60)
    systems = [("first", noisy), ("second", WORSE)]
    test = PairedTest(
        systems, {metric: build_metric(metric)}, [TRUTH], test_type="bs", n_samples=60
    )
    signatures, table = test()
    assert found.signature == str(signatures[found.metric])
    assert found.p_value == table[found.metric][1].p_value
    for ours, theirs in zip((found.first, found.second), table[found.metric], strict=True):
        assert ours.score == pytest.approx(theirs.score)
        assert ours.mean == pytest.approx(theirs.mean)
        assert (ours.high - ours.low) / 2 == pytest.approx(theirs.ci, abs=1e-6)


def test_a_system_cannot_be_told_from_itself():
    found = compare(WORSE, WORSE, [TRUTH], draws=100)
    assert not found.significant
    assert found.p_value == 1.0
    assert "cannot be told apart" in found.verdict


def test_chance_does_not_make_a_difference():
    noisy = [WORSE[i] if i % 2 else TRUTH[i] for i in range(60)]
    other = [TRUTH[i] if i % 2 else WORSE[i] for i in range(60)]
    assert not compare(noisy, other, [TRUTH], draws=200).significant


def test_a_comparison_repeats_from_its_seed():
    noisy = [*WORSE[:40], *TRUTH[40:]]
    assert compare(noisy, WORSE, [TRUTH], draws=50) == compare(noisy, WORSE, [TRUTH], draws=50)


def test_systems_of_unequal_length_are_refused():
    with pytest.raises(DataError, match="first system has 60 outputs and the second 59"):
        compare(TRUTH, WORSE[1:], [TRUTH])
    with pytest.raises(ConfigError, match="seed above 0"):
        compare(TRUTH, WORSE, [TRUTH], seed=0)


def test_a_fair_choice_among_eight_costs_three_bits():
    found = perplexity(10 * math.log(8), 10)
    assert found.perplexity == pytest.approx(8.0)
    assert found.bits_per_token == pytest.approx(3.0)
    assert found.nats_per_token == pytest.approx(math.log(8))


def test_a_hopeless_model_is_infinitely_perplexed():
    assert perplexity(1e6, 1).perplexity == math.inf


def test_a_text_without_tokens_has_no_perplexity():
    with pytest.raises(DataError, match="0 tokens"):
        perplexity(1.0, 0)
