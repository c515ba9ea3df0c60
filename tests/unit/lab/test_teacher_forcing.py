"""Teacher forcing: a verdict that can fall either way, and trainings that differ in it alone."""

import json
from random import Random

import pytest

from dragoman.lab.experiment import Result
from dragoman.lab.experiments.teacher_forcing import experiment
from dragoman.lab.experiments.teacher_forcing.experiment import (
    EXPERIMENT,
    WAYS,
    draw,
    measure_trial,
    tables,
    trial_of,
)
from dragoman.lab.experiments.teacher_forcing.verdicts import (
    FORCING,
    MIXED,
    NETWORKS,
    OWN,
    TOLD,
    arm,
    decide,
    exposure,
)
from dragoman.lab.run import run_experiment


def make_results(seeds=8, **told):
    """Make results by hand: 60 % of the sentences right unless told in training, and so many."""
    random, results = Random(1), []
    for network in NETWORKS:
        for mode in WAYS:
            exact = told.get(network, 60.0) if mode == TOLD else told.get("own", 60.0)
            for seed in range(1, seeds + 1):
                results.append(
                    {
                        "name": arm(network, mode), "seed": seed, "accuracy": 80.0,
                        "exact": exact + random.uniform(-0.5, 0.5), "told": 90.0, "alone": 87.0,
                        "seconds": 1.0, "read_at": [1, 2], "losses": [2.0, 1.0],
                        "shares": [10.0, exact],
                    }
                )  # fmt: skip
    return results


@pytest.mark.parametrize(
    ("told", "verdict"),
    [
        ({"summary": 70.0, "attention": 80.0}, "confirmed"),
        ({"summary": 50.0, "attention": 40.0}, "refuted"),
        ({"summary": 70.0, "attention": 50.0}, "corrected"),
        ({"summary": 70.0}, "undecided"),
        ({"summary": 12.0, "attention": 12.0, "own": 5.0}, "undecided"),
    ],
)
def test_the_verdict_goes_by_right_sentences_of_both_networks(told, verdict):
    assert decide(make_results(**told)).verdict == verdict


def test_one_seed_decides_nothing():
    results = make_results(seeds=1, summary=90.0, attention=90.0)
    assert decide(results).verdict == "undecided"


def test_the_seeds_are_as_many_as_the_pilot_asks_for():
    assert FORCING.power.seeds <= len(EXPERIMENT.seeds)


def test_the_exposure_bias_is_what_being_told_is_worth():
    assert exposure(make_results(), arm("summary", TOLD)).mean == 3.0


@pytest.mark.parametrize("network", NETWORKS)
def test_trainings_differ_in_nothing_but_what_the_decoder_is_told(network):
    trials = [trial_of(network, mode, 1, 10) for mode in WAYS]
    forcing = {"name", "teacher_forcing", "teacher_forcing_end"}
    same = [trial.model_dump(exclude=forcing) for trial in trials]
    assert same[0] == same[1] == same[2]
    assert [one.teacher_forcing for one in trials] == [1.0, 0.0, 1.0]


def test_what_the_decoder_is_told_changes_what_it_learns(tmp_path):
    few = {"tested": 20, "batch": 8}
    found = [
        measure_trial(trial_of("summary", mode, 95, 6).model_copy(update=few), tmp_path)
        for mode in (TOLD, OWN, MIXED)
    ]
    losses = [one["losses"][-1] for one in found]
    assert len(set(losses)) == 3
    assert all(0.0 <= one["alone"] <= 100.0 for one in found)


def test_tables_and_picture_show_every_way(tmp_path):
    results = make_results()
    (table,) = tables(results)
    assert len(table.rows) == 6
    draw(Result(results, [], []), tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 1000


@pytest.mark.slow
def test_the_whole_experiment_runs_for_a_few_steps(tmp_path, monkeypatch):
    monkeypatch.setitem(experiment.STEPS, "quick", 10)
    result = run_experiment(EXPERIMENT, "quick", tmp_path, seeds=(95,))
    assert len(result.measurements) == 6
    assert result.verdicts[0].verdict == "undecided"
    told = json.loads((tmp_path / "result.json").read_text("utf-8"))
    assert told["ledger"] == ["B19"]
