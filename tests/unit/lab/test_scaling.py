"""The scaling experiment: formulas, readings at budgets, and verdicts decided by the numbers."""

import json
from random import Random

import pytest
import torch
from tests.unit.planner.scaling.synthetic import true_optimum

from dragoman.lab.catalogue import find_experiment
from dragoman.lab.experiments.pig_latin.data import gather_words
from dragoman.lab.experiments.scaling import verdicts
from dragoman.lab.experiments.scaling.experiment import (
    BUDGETS,
    laws_of,
    points_of,
    tables,
    trials_of,
)
from dragoman.lab.experiments.scaling.flop_counter import count_flops
from dragoman.lab.experiments.scaling.formulas import sequence_flops
from dragoman.lab.experiments.scaling.training import train_trial
from dragoman.lab.experiments.scaling.verdicts import NOTES, OWN_RUN, PUBLISHED, decide
from dragoman.planner.scaling.parametric import ParametricLaw


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    random = Random(1)
    path = tmp_path_factory.mktemp("words") / "words.txt"
    found = {"".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=random.randint(3, 6)))
             for _ in range(500)}  # fmt: skip
    path.write_text("\n".join(sorted(found)) + "\n")
    return gather_words(path)


def test_a_training_is_read_at_each_budget_and_its_costs_are_those_of_the_formulas(words):
    trial = trials_of(words.checksum, "quick", 1)[0]
    trial = trial.model_copy(update={"budgets": (2e7, 5e7), "epochs": 0, "longest": 99})
    found = train_trial(trial, words)
    assert found["parameters"] == 4862
    assert found["with_embeddings"] - found["embeddings"] == 4862
    assert [one["budget"] for one in found["at_budget"]] == [2e7, 5e7]
    for one in found["at_budget"]:
        assert one["budget"] <= one["flops"] <= one["budget"] + 64 * sequence_flops(20, 16, 30)
        assert one["flops"] / one["tokens"] == pytest.approx(
            sequence_flops(13, 16, 30) / 13, rel=0.1
        )
    assert found["at_budget"][1]["loss"] < found["at_budget"][0]["loss"]
    assert found["flops"] >= 5e7
    assert found == train_trial(trial, words)


def test_a_training_goes_on_for_its_epochs_and_no_longer_than_its_longest(words):
    trial = trials_of(words.checksum, "quick", 1)[0]
    long = trial.model_copy(update={"budgets": (1e6,), "epochs": 3, "longest": 9})
    assert train_trial(long, words)["epochs_run"] == 3
    never = trial.model_copy(update={"budgets": (1e15,), "epochs": 1, "longest": 2})
    found = train_trial(never, words)
    assert (found["epochs_run"], found["at_budget"]) == (2, [])


def results_of(law, *, noise=0.002):
    """Results of a study in which the loss follows a law exactly, but for some noise."""
    random = Random(1)
    found = []
    for seed in (1, 2, 3):
        for width, size in PUBLISHED.items():
            per_token = 6.2 * size
            reads = []
            for budget in BUDGETS:
                tokens = budget / per_token
                loss = float(law.loss_at(size, tokens)) + random.gauss(0, noise)
                reads.append({"budget": budget, "flops": budget, "tokens": tokens, "loss": loss})
            end = float(law.loss_at(size, 5e6)) + random.gauss(0, noise)
            found.append(
                {
                    "name": f"h{width}", "seed": seed, "parameters": size, "at_budget": reads,
                    "curve": [[r["flops"], r["tokens"], r["loss"], r["loss"]] for r in reads],
                    "loss": end, "by_batch": end, "epochs_run": 100, "flops": 5e6 * per_token,
                    "tokens": 5e6, "seconds": 1.0, "embeddings": 30 * width,
                    "with_embeddings": size + 30 * width, "formula_flops": 105,
                    "counted_flops": 100,
                }
            )  # fmt: skip
    return found


FITTING = ParametricLaw(0.05, 366.0, 0.55, 700.0, 0.45)
"""Its optimum lies among the sizes at every budget."""


@pytest.fixture(scope="module")
def fitting():
    """Results of a study, and their laws."""
    results = results_of(FITTING)
    return results, laws_of(results)


def test_the_verdicts_follow_the_numbers(words, fitting):
    for budget in BUDGETS:
        assert PUBLISHED[16] < true_optimum(FITTING, budget) < PUBLISHED[128]
    results, laws = fitting
    assert not laws.refusals
    found = {one.hypothesis.ids[0]: one for one in decide(results, laws)}
    assert [*found] == ["A31", "A33", "A34", "A35", "A36"]
    proposal = laws.at(1e15)
    holds = proposal.parameters_interval.holds(NOTES)
    assert found["A34"].verdict == ("confirmed" if holds else "refuted")
    assert "extrapolates by 2.9 orders of magnitude" in found["A34"].because
    assert "1.94e+06" in found["A34"].because
    assert found["A33"].verdict == found["A36"].verdict == "confirmed"
    own = laws.at(OWN_RUN[2]).parameters_interval
    assert own.high < OWN_RUN[0]
    assert found["A35"].verdict == "confirmed"
    shown = tables(results, laws, words)
    assert [one.title for one in shown[1:]] == ["Compute-optimal sizes", "Laws", "Proposals"]


def test_the_size_of_the_notes_is_confirmed_where_the_interval_holds_it(fitting, monkeypatch):
    results, laws = fitting
    for size, verdict in ((laws.at(1e15).parameters, "confirmed"), (1e9, "refuted")):
        monkeypatch.setattr(verdicts, "NOTES", size)
        found = {one.hypothesis.ids[0]: one.verdict for one in decide(results, laws)}
        assert found["A34"] == verdict


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [({}, "confirmed"), ({"counted_flops": 50}, "corrected"), ({"embeddings": 1}, "refuted")],
)
def test_the_formulas_are_held_against_what_is_counted(fitting, changed, verdict):
    results, laws = fitting
    other = [{**result, **changed} for result in results]
    found = {one.hypothesis.ids[0]: one.verdict for one in decide(other, laws)}
    assert found["A36"] == verdict


@pytest.mark.slow
def test_a_run_that_is_too_small_for_its_budget_refutes_the_notes():
    results = results_of(ParametricLaw(0.05, 39.2, 0.3, 11_000.0, 0.7))
    laws = laws_of(results)
    assert laws.at(OWN_RUN[2]).parameters_interval.low > OWN_RUN[0]
    found = {one.hypothesis.ids[0]: one.verdict for one in decide(results, laws)}
    assert found["A35"] == "refuted"


def test_nothing_is_decided_where_profiles_have_no_minimum():
    law = ParametricLaw(
        0.05, 6.0e7, 1.5, 20.0, 0.3
    )  # larger is better; parabolas turn all the same
    results = results_of(law)
    found = {one.hypothesis.ids[0]: one for one in decide(results, laws_of(results))}
    assert found["A34"].verdict == found["A35"].verdict == "undecided"
    assert found["A33"].verdict == "refuted"
    assert "nothing is said about 1e+15 FLOPs" in found["A34"].because


def test_the_points_of_one_training_share_its_noise():
    points = points_of(results_of(FITTING))
    assert len({point.run for point in points}) == 18
    assert len(points) == 18 * 5


@pytest.mark.slow
def test_the_experiment_draws_its_plot_and_its_summary_is_json(tmp_path, fitting):
    from dragoman.lab.experiment import Result
    from dragoman.planner.sweep.report import record

    experiment = find_experiment("scaling")
    results, laws = fitting
    summary = record(laws, [laws.at(1e15)])
    experiment.draw(Result(results, [], [], summary), tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    assert json.dumps(summary)
    assert experiment.ids == ("A31", "A32", "A33", "A34", "A35", "A36")


def test_fused_kernels_are_counted_as_the_matrix_products_they_stand_for():
    """An LSTM of width 16 over 4 × 5 vectors of 8, and attention of 2 heads over 7 positions."""
    cell, x = torch.nn.LSTM(8, 16, batch_first=True), torch.randn(4, 5, 8)
    assert count_flops(lambda: cell(x)) == 2 * 4 * 5 * (4 * 16) * (8 + 16)
    q = torch.randn(3, 2, 7, 8)
    attend = torch.nn.functional.scaled_dot_product_attention
    assert count_flops(lambda: attend(q, q, q)) == 2 * (2 * 3 * 2 * 7 * 7 * 8)
    assert torch.backends.mkldnn.enabled
