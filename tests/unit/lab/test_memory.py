"""Memory: texts of every lag, networks of equal size, and verdicts that can fall each way."""

import json

import pytest

from dragoman.lab.distance import at, far, half_way, lost_at
from dragoman.lab.experiments.memory import experiment as memory
from dragoman.lab.experiments.memory.experiment import (
    EXPERIMENT,
    GRU,
    LSTM,
    MODELS,
    RNN,
    SIGMOID,
    TEXTS,
    LagSampling,
    MemoryTrial,
    decide,
    draw_texts,
    gathered,
    is_alone,
)
from dragoman.lab.rates import best_rates
from dragoman.lab.run import run_experiment
from dragoman.neural.models.recurrent_classifier import RecurrentClassifier

CHANCE = 12.5
LAGS = (1, 8, 64)
FLAT = (100.0, 100.0, 100.0)
FALLING = (100.0, 80.0, 20.0)
DIPPING = (100.0, 99.0, 97.0)
NOTHING = (13.0, 12.0, 12.0)
TINY = LagSampling(lags=(1, 6), letters=300, valid=4, tested=6, classes=3, noise=3, earlier=4)


def make_results(seeds=(1, 2, 3), alone=None, **accuracies):
    """Make rows by hand; a network that is not named stays at 100 %.

    Those that learned from one lag alone did as well as the others unless told otherwise.
    """
    results = []
    for name in MODELS:
        for seed in seeds:
            values = [value - 0.1 * seed for value in accuracies.get(name, FLAT)]
            results.append(make_result(name, seed, LAGS[:2], LAGS[2:], values))
            apart = (accuracies if alone is None else alone).get(name, FLAT)
            for lag, value in zip(LAGS, apart, strict=True) if name != SIGMOID else ():
                results.append(make_result(name, seed, (lag,), (), [value - 0.1 * seed]))
    return results


def make_result(name, seed, lags, beyond, accuracies):
    texts = {**TINY.model_dump(), "lags": lags, "beyond": beyond, "classes": 8, "tested": 400}
    figures = {"macro_f1": 50.0, "majority": 12.5, "seconds": 1.0}
    return {"name": name, "seed": seed, "accuracies": accuracies, "texts": texts, **figures}


@pytest.mark.parametrize(
    ("accuracies", "fades", "gates"),
    [
        ({RNN: FALLING}, "confirmed", "confirmed"),
        ({RNN: DIPPING}, "corrected", "corrected"),
        ({}, "refuted", "refuted"),
        ({RNN: FALLING, GRU: FALLING}, "confirmed", "corrected"),
        ({RNN: FALLING, GRU: FALLING, LSTM: FALLING}, "confirmed", "refuted"),
        ({LSTM: FALLING}, "refuted", "refuted"),
        ({RNN: NOTHING}, "undecided", "undecided"),
        ({RNN: FALLING, LSTM: NOTHING}, "confirmed", "undecided"),
    ],
)
def test_the_verdicts_go_by_the_falls_and_by_what_is_left_at_the_farthest(accuracies, fades, gates):
    found = decide(make_results(**accuracies))
    assert [one.verdict for one in found] == [fades, gates]


@pytest.mark.parametrize(
    ("alone", "fades"),
    [({RNN: FALLING}, "corrected"), ({}, "refuted"), ({RNN: NOTHING}, "undecided")],
)
def test_what_can_be_kept_and_what_can_be_learned_are_told_apart(alone, fades):
    short, gates = decide(make_results(alone=alone))
    assert (short.verdict, gates.verdict) == (fades, "refuted")
    begun = "Learned from short lags, tested on long ones (refuted): Accuracy of the RNN"
    assert short.because.startswith(begun)
    assert "Learned from one lag alone" in short.because
    assert "Learned from far alone: RNN " in gates.because


def test_a_gated_network_that_may_be_better_leaves_it_open():
    results = make_results(**{RNN: FALLING})
    worse = iter((100.0, 20.0, 0.0))
    for result in results:
        if result["name"] == LSTM and not is_alone(result):
            result["accuracies"] = [100.0, next(worse), 20.0]
    assert decide(results)[1].verdict == "undecided"


def test_rows_of_single_lags_are_put_side_by_side():
    results = gathered(make_results(alone={RNN: FALLING}))
    assert [result["name"] for result in results] == [
        name for name in MODELS if name != SIGMOID for _ in "123"
    ]
    first = results[0]
    assert first["accuracies"] == pytest.approx([99.9, 79.9, 19.9])
    assert first["texts"]["lags"] == [*LAGS]
    assert first["seconds"] == 3.0


def test_one_seed_and_seeds_that_disagree_decide_nothing():
    alone = decide(make_results(seeds=(1,), **{RNN: FALLING}))
    assert [one.verdict for one in alone] == ["undecided", "undecided"]
    results = make_results()
    results[0]["accuracies"] = [100.0, 60.0, 20.0]  # of the first seed, learned from short lags
    assert [one.verdict for one in decide(results)] == ["undecided", "undecided"]


def test_who_fails_later_is_better_even_where_both_have_failed_at_last():
    whole = make_results(**{RNN: (100.0, 20.0, 13.0), GRU: (100.0, 90.0, 13.0)})
    results = [result for result in whole if not is_alone(result)]
    assert far(results, RNN) == pytest.approx([16.4, 16.3, 16.2])
    fades, gates = decide(whole)
    assert (fades.verdict, gates.verdict) == ("confirmed", "confirmed")
    assert "a fall of +83.5 [+82.9, +84.1]. Half is lost at: 8." in fades.because
    assert "GRU +35.0 [+34.7, +35.3]" in gates.because
    assert "Half is lost at: RNN 8, GRU 64, LSTM nowhere." in gates.because


def test_half_is_lost_where_accuracy_comes_nearer_to_chance_than_to_its_best():
    results = gathered(make_results(**{RNN: (100.0, 57.0, 55.0), GRU: (40.0, 90.0, 30.0)}))
    assert half_way(results, RNN, LAGS, CHANCE) == 64
    assert half_way(results, GRU, LAGS, CHANCE) == 64  # not at 1, which is before its best
    assert half_way(results, LSTM, LAGS, CHANCE) is None
    assert [lost_at(results, name, LAGS, CHANCE) for name in (RNN, GRU, LSTM)] == [
        "64",
        "not learned",
        "nowhere",
    ]
    assert at(results, LSTM, -1) == pytest.approx([99.9, 99.8, 99.7])


def test_the_rate_with_the_lowest_validation_loss_is_taken_for_each():
    tried = [("a", 1e-3, 0.5), ("a", 3e-3, 0.2), ("b", 1e-3, 0.1), ("b", 1e-2, 0.9)]
    results = [{"name": name, "seed": 0, "rate": rate, "loss": loss} for name, rate, loss in tried]
    assert best_rates(results) == {"a": 3e-3, "b": 1e-3}


def test_the_networks_have_equal_parameters():
    counts = [
        sum(w.numel() for w in RecurrentClassifier(one, 308, 8).parameters())
        for one in MODELS.values()
    ]
    assert max(counts) / min(counts) < 1.03


def test_every_network_has_the_same_batches(tmp_path):
    recipes = [
        MemoryTrial(name=name, model=model, rate=1e-3, texts=TINY, steps=9, seed=2).recipe(tmp_path)
        for name, model in MODELS.items()
    ]
    same = [recipe.model_dump(exclude={"model"}) for recipe in recipes]
    assert all(one == same[0] for one in same)


def test_no_text_stands_in_two_sets_and_every_lag_fills_as_many_batches(tmp_path):
    asked = draw_texts(TINY.model_copy(update={"beyond": (9,)}), 1, tmp_path)
    sets = {name: (tmp_path / f"{name}.tsv").read_text() for name in ("train", "valid", "test")}
    lines = [line for text in sets.values() for line in text.splitlines()]
    assert len(lines) == len(set(lines))
    assert [len(part) for part in asked] == [6, 6, 6]  # the longest is only tested
    for lag, part in zip((*TINY.lags, 9), asked, strict=True):
        assert all(row.text.split()[-1 - lag] == row.label for row in part)
    assert len(sets["valid"].splitlines()) == 8
    for texts in TEXTS.values():
        slots = [texts.trained(lag) * (lag + texts.earlier // 2 + 3) for lag in texts.lags]
        assert min(slots) > 0.99 * texts.letters


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("memory")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(memory.TEXTS, "quick", TINY)
        patch.setitem(memory.STEPS, "quick", 2)
        patch.setitem(memory.NAMES, "quick", tuple(MODELS))
        patch.setitem(memory.ALONE, "quick", (1, 6))
        patch.setattr(memory, "ALONE_STEPS", 2)
        return folder, run_experiment(EXPERIMENT, "quick", folder, seeds=(1,))


@pytest.mark.slow
def test_the_whole_experiment_runs_on_a_few_texts(found):
    folder, result = found
    names = [one["name"] for one in result.measurements]
    assert names == [*MODELS, RNN, RNN, GRU, GRU, LSTM, LSTM]
    assert {finding.verdict for finding in result.verdicts} == {"undecided"}
    table, alone = result.tables
    assert table.header[2:4] == alone.header[2:4] == ("1", "6")
    assert "(set beforehand): RNN 0.003" in table.note
    assert "(set beforehand): RNN 0.001" in alone.note
    assert [line[0] for line in table.rows] == [*MODELS, "majority baseline"]
    told = json.loads((folder / "result.json").read_text("utf-8"))
    assert told["ledger"] == ["B1", "E99", "E100", "E104"]
    assert "## Right classes, %, by lag, learned from 1 and 6" in (folder / "table.md").read_text(
        "utf-8"
    )
    assert (folder / "picture.png").stat().st_size > 1000
