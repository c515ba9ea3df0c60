"""Sentiment: reviews in other orders, networks of a size, and verdicts that fall every way."""

import json
from collections import Counter
from fractions import Fraction
from random import Random

import pytest

from dragoman.config.cells import GruCell, LstmCell
from dragoman.config.recurrent_text import RecurrentClassifierSettings
from dragoman.config.text_cnn import TextCnnSettings
from dragoman.core.errors import DataError
from dragoman.data.formats.labeled import LabeledText
from dragoman.lab.experiments.sentiment import experiment as sentiment
from dragoman.lab.experiments.sentiment.data import (
    check_labels,
    find_reviews,
    reorder,
    shuffle_words,
    swap_clauses,
)
from dragoman.lab.experiments.sentiment.experiment import (
    EXPERIMENT,
    MODELS,
    VOCABULARY,
    SentimentTrial,
    best_rate,
    counted,
)
from dragoman.lab.experiments.sentiment.verdicts import BAG, CNN, GRU, LSTM, decide
from dragoman.lab.run import run_experiment

SMALL = {
    LSTM: RecurrentClassifierSettings(cell=LstmCell(), embedding_width=8, width=8),
    GRU: RecurrentClassifierSettings(cell=GruCell(), embedding_width=8, width=8),
    CNN: TextCnnSettings(embedding_width=8, filters=4),
}


def make_results(gap=0.0, *, f1_gap=None, negative=0.0, pace=-3.0, accuracy=0.75, noisy=1):
    """Make rows of three seeds by hand: an LSTM so much better, negatives so much better told."""
    results = []
    f1_gap = gap if f1_gap is None else f1_gap
    for name in (LSTM, GRU, CNN, BAG):
        for seed, noise in ((1, 0.0), (2, 0.001 * noisy), (3, -0.001 * noisy)):
            better, f1 = (gap, f1_gap) if name == LSTM else (0.0, 0.0)
            wobble = noise * (2 if name == LSTM else 1)
            whole, macro = accuracy + better + wobble, accuracy + f1 + wobble
            results.append(
                {
                    "name": name,
                    "seed": seed,
                    "rate": 1e-3,
                    "seconds": 9.0,
                    "parameters": 1000,
                    "cells": 75 if name == GRU else 100,
                    "step_ms": 10 + noise + (pace if name == GRU else 0.0),
                    "accuracy": whole,
                    "majority": 0.5,
                    "majority_f1": 1 / 3,
                    **dict.fromkeys(("macro_f1", "macro_precision", "macro_recall"), macro),
                    "classes": [
                        {"label": label, "precision": 0.7, "recall": 0.7, "f1": 0.7 + more + wobble}
                        for label, more in (("negative", negative + noise), ("positive", 0.0))
                    ],
                    "orders": {
                        kind: {"texts": 9, "before": 0.7, "after": 0.7 - noise, "changed": 0.05}
                        for kind in ("clauses", "words")
                    },
                }
            )
    return results


@pytest.mark.parametrize(
    ("results", "row", "verdict"),
    [
        (make_results(0.005), "C1", "confirmed"),  # the same to the margin, and surely better
        (make_results(0.0, f1_gap=0.02), "C1", "confirmed"),
        (make_results(0.03), "C1", "corrected"),  # better, but not the same
        (make_results(0.0), "C1", "corrected"),  # the same, but not better
        (make_results(-0.005), "C1", "corrected"),
        (make_results(-0.03), "C1", "refuted"),  # neither
        (make_results(0.005, noisy=8), "C1", "undecided"),  # no difference seen, none excluded
        (make_results(0.02, accuracy=0.48), "C1", "undecided"),
        (make_results(pace=-3.0), "C2", "confirmed"),
        (make_results(0.02, pace=-3.0), "C2", "corrected"),
        (make_results(pace=3.0), "C2", "refuted"),
        (make_results(pace=0.0), "C2", "undecided"),
        (make_results(negative=0.05), "C3", "confirmed"),
        (make_results(negative=-0.05), "C3", "refuted"),
        (make_results(negative=0.0), "C3", "undecided"),
    ],
)
def test_each_verdict_can_fall_every_way(results, row, verdict):
    found = {one.hypothesis.ids[0]: one.verdict for one in decide(results)}
    assert found[row] == verdict


def test_one_seed_decides_nothing():
    results = [result for result in make_results(0.02, negative=0.05) if result["seed"] == 1]
    assert {one.verdict for one in decide(results)} == {"undecided"}


def test_clauses_change_places_around_the_middle_comma():
    assert swap_clauses("in 2017 , i went there .") == "i went there , in 2017 ."
    assert swap_clauses("Slow at first, but a joy.") == "but a joy, Slow at first."
    assert swap_clauses("one two three four , five six seven , eight") == (
        "five six seven , eight , one two three four"
    )
    for whole in ("no comma here .", "well , it is one word before", "", "."):
        assert swap_clauses(whole) is None


def test_another_order_keeps_every_word_and_its_label():
    rows = [
        LabeledText("a fine film , if long .", "positive"),
        LabeledText("dull and slow", "negative"),
    ]
    assert [row for row, _ in reorder(rows, "clauses", 1)] == rows[:1]
    for order in ("clauses", "words"):
        for row, other in reorder(rows, order, 1):
            assert Counter(other.split()) == Counter(row.text.split())
    assert shuffle_words("a b c d e f", Random(1)) != "a b c d e f"


def test_a_gru_cell_has_three_quarters_of_the_parameters_and_the_rest_is_level():
    from dragoman.neural.models.recurrent_classifier import RecurrentClassifier
    from dragoman.neural.models.text_cnn import TextCnn

    kinds = {"recurrent-classifier": RecurrentClassifier, "text-cnn": TextCnn}
    cells = {
        name: counted(kinds[one.kind](one, VOCABULARY, 2))["cells"] for name, one in MODELS.items()
    }
    assert Fraction(cells[GRU], cells[LSTM]) == Fraction(3, 4)
    assert cells[CNN] == pytest.approx(cells[LSTM], rel=0.02)


def test_every_network_gets_the_same_recipe_but_for_its_model(tmp_path):
    recipes = [
        SentimentTrial(name=name, model=model, reviews="x", steps=9, rate=1e-3, seed=2).recipe(
            tmp_path / "reviews.tsv"
        )
        for name, model in MODELS.items()
    ]
    same = [recipe.model_dump(exclude={"model"}) for recipe in recipes]
    assert same[0] == same[1] == same[2]


def test_the_rate_is_chosen_on_validation_data():
    tried = [
        {"name": LSTM, "seed": 1, "rate": rate, "valid": valid, "accuracy": 1 - valid}
        for rate, valid in ((1e-3, 0.6), (3e-3, 0.7), (9e-3, 0.5))
    ]
    assert best_rate(tried, LSTM) == 3e-3


def test_missing_reviews_and_other_classes_are_said_in_a_line(tmp_path, monkeypatch):
    monkeypatch.setenv("DRAGOMAN_CACHE", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(DataError, match="dragoman data get rotten-tomatoes"):
        find_reviews("rotten-tomatoes", None)
    with pytest.raises(DataError, match="'mixed'"):
        check_labels([LabeledText("so so", "mixed")], tmp_path)


@pytest.mark.slow
def test_the_whole_experiment_runs_on_a_few_reviews(tmp_path, monkeypatch):
    random = Random(1)
    words = {"negative": ("dull", "bad", "slow"), "positive": ("fine", "good", "warm")}
    lines = [
        f"a {random.choice(told)} film , number {n} , and {random.choice(told)} .\t{label}\n"
        for n in range(40)
        for label, told in words.items()
    ]
    table = tmp_path / "reviews.tsv"
    table.write_text("".join(lines), encoding="utf-8")
    for name, model in SMALL.items():
        monkeypatch.setitem(sentiment.MODELS, name, model)
    monkeypatch.setitem(sentiment.STEPS, "quick", 2)
    result = run_experiment(EXPERIMENT, "quick", tmp_path / "lab", options={"texts": str(table)})
    assert [row["name"] for row in result.measurements] == [LSTM, GRU, CNN, BAG]
    assert {one.verdict for one in result.verdicts} == {"undecided"}
    bag = result.measurements[-1]["orders"]
    assert bag["clauses"]["texts"] == bag["words"]["texts"] == result.measurements[0]["texts"]
    assert bag["clauses"]["changed"] == bag["words"]["changed"] == 0.0
    assert (tmp_path / "lab" / "picture.png").stat().st_size > 1000
    assert "majority baseline" in (tmp_path / "lab" / "table.md").read_text("utf-8")
    told = json.loads((tmp_path / "lab" / "result.json").read_text("utf-8"))
    assert told["ledger"] == ["C1", "C2", "C3"]
