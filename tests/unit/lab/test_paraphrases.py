"""Paraphrases: pairs that only reading tells apart, and a verdict that can fall every way."""

import json
from collections import Counter

import pytest

from dragoman.lab.experiments.paraphrases import experiment as paraphrases
from dragoman.lab.experiments.paraphrases.data import (
    ADVERBS,
    DISTANCES,
    FACTS,
    NAMES,
    ORDERS,
    SAME,
    YEARS,
    ParaphraseSampling,
    draw_mixed,
    draw_sentences,
    split_facts,
)
from dragoman.lab.experiments.paraphrases.experiment import EXPERIMENT, MODELS
from dragoman.lab.experiments.paraphrases.verdicts import BAG, CNN, LSTM, decide
from dragoman.lab.run import run_experiment
from dragoman.neural.models.recurrent_classifier import RecurrentClassifier
from dragoman.neural.models.text_cnn import TextCnn

FEW = ParaphraseSampling(train=60, valid=20, tested=6)


def facts_of(sentence):
    """Read who came when; name and year may stand in either order."""
    clauses = [set(clause.split()) for clause in sentence.split(" , ")]
    return {(*(clause & {*NAMES}), *(clause & {*YEARS})) for clause in clauses}


def test_sentences_say_the_same_where_everybody_has_kept_the_year():
    rows = draw_mixed(FACTS, 300, "some")
    for row in rows:
        first, second = row.text.removesuffix(" .").split(" . ")
        assert (facts_of(first) == facts_of(second)) == (row.label == SAME)
        said = [[word for word in part.split() if word not in ADVERBS] for part in (first, second)]
        assert Counter(said[0]) == Counter(said[1])
    shares = Counter(row.label for row in rows)
    assert 0.4 < shares[SAME] / len(rows) < 0.6


def test_words_stand_between_name_and_year_and_the_year_comes_first_where_it_is_moved(tmp_path):
    tests = draw_sentences(FEW, 3, tmp_path)
    for order, parts in tests.items():
        for distance, part in zip(DISTANCES, parts, strict=True):
            for row in part:
                for number, clause in enumerate(row.text.replace(" . ", " , ").split(" , ")):
                    words = clause.split()
                    name = next(at for at, word in enumerate(words) if word in NAMES)
                    year = next(at for at, word in enumerate(words) if word in YEARS)
                    moved = order == "moved" and number > 1
                    assert (year < name) == moved
                    assert abs(name - year) == distance + (2 if moved else 3)


def test_names_and_years_of_the_test_never_stand_together_in_training(tmp_path):
    learned, validated, tested = split_facts(1)
    assert len({*learned, *validated, *tested}) == len(FACTS) == 36
    draw_sentences(FEW, 1, tmp_path)
    seen = {}
    for name in ("train", "valid", "test"):
        rows = (tmp_path / f"{name}.tsv").read_text("utf-8").splitlines()
        seen[name] = {
            (frozenset({*words} & {*NAMES}), frozenset({*words} & {*YEARS}))
            for words in (row.split("\t")[0].split() for row in rows)
        }
    assert not seen["train"] & seen["test"]
    assert not seen["train"] & seen["valid"]
    assert not seen["valid"] & seen["test"]


def make_results(kept, moved, recurrent=90.0, bag=50.0, far=None, noisy=1.0, seeds=range(10)):
    """Make rows by hand: of the convolutional network near and far, and of the others."""
    results = []
    for name in (LSTM, CNN, BAG):
        for seed in seeds:
            noise = noisy * (seed % 3 - 1) * (2 if name == CNN else 1)
            near = {"kept": kept, "moved": moved} if name == CNN else {}
            usual = {LSTM: recurrent, BAG: bag, CNN: far if far is not None else moved}[name]
            accuracies = {
                order: [
                    near.get(order, usual) + noise * (1 + (order == "kept")),
                    *[usual + noise] * 4,
                ]
                for order in ORDERS
            }
            results.append({"name": name, "seed": seed, "accuracies": accuracies, "majority": 51.0})
    return results


@pytest.mark.parametrize(
    ("results", "verdict"),
    [
        (make_results(kept=80.0, moved=55.0), "confirmed"),
        (make_results(kept=80.0, moved=80.0, far=50.0), "corrected"),  # distance, not order
        (make_results(kept=90.0, moved=90.0), "refuted"),
        (make_results(kept=95.0, moved=60.0, far=95.0), "refuted"),  # near ones alone
        (make_results(kept=80.0, moved=55.0, recurrent=52.0), "undecided"),  # nobody learned
        (make_results(kept=80.0, moved=70.0, far=50.0, noisy=12.0), "undecided"),
        (make_results(kept=80.0, moved=55.0, seeds=(1,)), "undecided"),
    ],
)
def test_the_verdict_goes_by_order_and_by_the_recurrent_network(results, verdict):
    assert decide(results).verdict == verdict


def test_the_networks_have_as_many_weights_outside_of_the_embeddings():
    recurrent, filters = RecurrentClassifier(MODELS[LSTM], 50, 2), TextCnn(MODELS[CNN], 50, 2)
    counts = [
        sum(weight.numel() for weight in model.parameters()) - model.embedding.weight.numel()
        for model in (recurrent, filters)
    ]
    assert max(counts) / min(counts) < 1.02


@pytest.mark.slow
def test_the_whole_experiment_runs_on_a_few_pairs(tmp_path, monkeypatch):
    monkeypatch.setitem(paraphrases.SENTENCES, "quick", FEW)
    monkeypatch.setitem(paraphrases.STEPS, "quick", 2)
    monkeypatch.setitem(paraphrases.TUNING, "quick", 1)
    result = run_experiment(EXPERIMENT, "quick", tmp_path)
    assert [one["name"] for one in result.measurements] == [LSTM, CNN, BAG]
    assert [one.verdict for one in result.verdicts] == ["undecided"]
    assert len(result.tables[0].rows) == 6
    told = json.loads((tmp_path / "result.json").read_text("utf-8"))
    assert told["ledger"] == ["E79"]
    assert (tmp_path / "picture.png").stat().st_size > 1000
