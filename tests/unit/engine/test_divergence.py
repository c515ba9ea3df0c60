"""R8: numbers that are not finite never reach the weights, the moments or the average."""

import json
from dataclasses import replace

import pytest
import torch

from dragoman import trainer
from dragoman.config.reading import read_recipe
from dragoman.core.errors import DivergedError
from dragoman.data.batching.stream import BatchStream, Position
from dragoman.engine.build import build_model
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.training.loop import TrainingPlan
from dragoman.engine.training.loop import train as take_steps
from dragoman.neural.optim.average import WeightAverage
from dragoman.neural.optim.optimizer import build_optimizer
from dragoman.tasks.common.teacher_forcing import SequenceToSequenceObjective
from dragoman.tasks.translation.prepare import prepare
from dragoman.trainer import train


@pytest.fixture
def poison(monkeypatch):
    """Give a function that spoils the loss of some training batches, counted from 1."""

    def at(batches, value):
        whole, seen = SequenceToSequenceObjective.loss, iter(range(1, 10_000))

        def spoiled(self, batch, device):
            loss = whole(self, batch, device)
            if self.model.training and next(seen) in batches:
                return replace(loss, smoothed=loss.smoothed * value, nats=loss.nats * value)
            return loss

        monkeypatch.setattr(SequenceToSequenceObjective, "loss", spoiled)

    return at


def bits(model, optimizer, average):
    tensors = [weight.detach().clone() for weight in model.parameters()]
    for entry in optimizer.state_dict()["state"].values():
        tensors += [value.clone() for value in entry.values()]
    return tensors + [weight.clone() for weight in average.weights.values()]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("accumulate", [1, 2])
def test_a_step_that_is_not_finite_moves_nothing(tmp_path, recipe, poison, value, accumulate):
    bad = {3, 4, 7, 10}
    poison({accumulate * step for step in bad}, value)
    settings = read_recipe(
        recipe, ["training.steps=12", "training.bad_steps=2", f"training.accumulate={accumulate}"]
    )
    prepared = prepare(RunFolder(tmp_path / "run"), settings)
    model = build_model(settings.model, prepared.tokenizer, 1)
    optimizer = build_optimizer(model, settings.optimizer)
    average = WeightAverage(model, 0.9)
    plan = TrainingPlan(settings.training, settings.schedule, 1e-3, 1, torch.device("cpu"))
    before, skipped = bits(model, optimizer, average), {}

    def watch(report):
        nonlocal before
        after = bits(model, optimizer, average)
        same = len(before) == len(after) and all(map(torch.equal, before, after))
        assert same == (report.step in bad)
        skipped[report.step] = report.skipped
        assert all(torch.isfinite(tensor).all() for tensor in after)
        before = after

    stream = BatchStream(prepared.store, settings.batches, 1).at(Position())
    task = SequenceToSequenceObjective(model, settings.objective)
    take_steps(task, stream, optimizer, average, plan, [watch])
    stream.close()
    assert {step for step, count in skipped.items() if count} == bad
    assert (skipped[3], skipped[4], skipped[7]) == (1, 2, 1)


@pytest.mark.parametrize(("allowed", "fatal"), [(0, 5), (1, 6), (3, 8)])
def test_one_bad_step_too_many_ends_the_run_with_its_number(
    tmp_path, recipe, poison, allowed, fatal
):
    poison({5, 6, 7, 8}, float("nan"))
    changes = ["training.steps=12", f"training.bad_steps={allowed}"]
    with pytest.raises(DivergedError, match=f"step {fatal}: .*nan.*optimizer.learning_rate"):
        train(recipe, changes, folder=tmp_path / "run")


def test_skipped_steps_are_logged_and_the_averages_stay_finite(tmp_path, recipe, poison, capsys):
    poison({6, 7, 11, 12, 13, 14, 15}, float("inf"))
    train(recipe, ["training.steps=20", "training.bad_steps=5"], folder=tmp_path / "run")
    lines = (tmp_path / "run/metrics.jsonl").read_text().splitlines()
    rows = [json.loads(line, parse_constant=pytest.fail) for line in lines]
    skipped = {row["step"]: row["steps"] for row in rows if row["kind"] == "skipped"}
    assert skipped == {10: 2, 15: 5}
    assert [row["step"] for row in rows if row["kind"] == "train"] == [5, 10, 20]
    assert [row["step"] for row in rows if row["kind"] == "diagnosis"] == [6]
    assert "step 6: a gradient was not finite" in capsys.readouterr().err


def test_a_run_that_diverged_may_be_allowed_to_skip(tmp_path, recipe, poison, monkeypatch):
    monkeypatch.setattr(trainer, "draw_curves", lambda rows, path, title: None)
    poison({16}, float("nan"))
    with pytest.raises(DivergedError, match="step 16"):
        train(recipe, ["training.steps=20"], folder=tmp_path / "run")
    finished = train(recipe, ["training.steps=20", "training.bad_steps=1"], folder=tmp_path / "run")
    assert finished.step == 20


def test_a_resume_remembers_the_bad_steps_in_a_row(tmp_path, recipe, poison):
    changes = ["training.steps=12", "training.checkpoint_every=6"]
    poison({5, 6, 7}, float("nan"))
    with pytest.raises(DivergedError, match="step 7"):
        train(recipe, [*changes, "training.bad_steps=2"], folder=tmp_path / "run")
    poison({1}, float("nan"))  # the first batch after the resume is that of step 7
    with pytest.raises(DivergedError, match="step 7"):
        train(recipe, [*changes, "training.bad_steps=2"], folder=tmp_path / "run")
