"""The loop heeds its schedule: epochs, plateaus and the limits of the gradient."""

import json

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman import trainer
from dragoman.config.reading import read_recipe
from dragoman.config.schedule import Cosine, Plateau
from dragoman.data.batching.stream import BatchStream, Position
from dragoman.engine.build import build_model
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.training.early_stopping import Verdict
from dragoman.engine.training.loop import TrainingPlan
from dragoman.engine.training.loop import train as take_steps
from dragoman.engine.training.plateau import Plateaus
from dragoman.neural.optim.optimizer import build_optimizer
from dragoman.tasks.common.teacher_forcing import SequenceToSequenceObjective
from dragoman.tasks.translation.prepare import prepare
from dragoman.trainer import train


def verdict(loss):
    return Verdict(1, loss)


LOSSES = st.lists(
    st.sampled_from([0.5, 1.0, 1.5, 2.0, float("nan"), float("inf")]), min_size=1, max_size=30
)


@settings(deadline=None)  # the first of torch's schedules takes seconds to import
@given(LOSSES, st.integers(1, 4))
def test_plateaus_are_those_of_torch(losses, patience):
    weight = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([weight], 1.0)
    theirs = torch.optim.lr_scheduler.ReduceLROnPlateau(
        optimizer, factor=0.5, patience=patience - 1, threshold=0.0, eps=0.0
    )
    ours = Plateaus(patience)
    for loss in losses:
        theirs.step(loss)
        ours(verdict(loss))
        assert optimizer.param_groups[0]["lr"] == 0.5**ours.count


@given(LOSSES, LOSSES, st.integers(1, 4))
def test_a_restored_count_goes_on_as_if_nothing_had_been(before, after, patience):
    whole, first, second = (Plateaus(patience) for _ in range(3))
    for loss in before:
        whole(verdict(loss))
        first(verdict(loss))
    second.restore(json.loads(json.dumps(first.state(), allow_nan=False)))
    for loss in after:
        whole(verdict(loss))
        second(verdict(loss))
        assert second.state() == whole.state()


def test_only_its_own_schedule_counts_plateaus():
    many = [Plateaus.of(Cosine()), Plateaus.of(Plateau(patience=3)), Plateaus()]
    for _ in range(10):
        for one in many:
            one(verdict(1.0))
    assert [one.count for one in many] == [0, 3, 0]


def reports(recipe, changes, folder):
    """Take the steps of a recipe and return their reports, with the weights before and after."""
    settings = read_recipe(recipe, changes)
    prepared = prepare(RunFolder(folder), settings)
    model = build_model(settings.model, prepared.tokenizer, 1)
    plan = TrainingPlan(
        settings.training,
        settings.schedule,
        settings.optimizer.learning_rate,
        1,
        torch.device("cpu"),
    )
    optimizer = build_optimizer(model, settings.optimizer)
    before = [weight.detach().clone() for weight in model.parameters()]
    stream, found = BatchStream(prepared.store, settings.batches, 1), []
    batches = stream.at(Position())
    take_steps(
        SequenceToSequenceObjective(model, settings.objective),
        batches,
        optimizer,
        None,
        plan,
        [found.append],
    )
    batches.close()
    after = [weight.detach().clone() for weight in model.parameters()]
    return found, before, after, [len(stream.plan(epoch)) for epoch in range(3)]


@pytest.mark.parametrize("accumulate", [1, 2])
def test_exponential_falls_once_after_each_epoch(tmp_path, recipe, accumulate):
    changes = [
        "schedule={kind = 'exponential', factor = 0.5, warmup_steps = 0}",
        "optimizer={kind = 'sgd', learning_rate = 0.25}",
        "batches.max_tokens=700",
        f"training.accumulate={accumulate}",
        "training.steps=24",
    ]
    found, _, _, lengths = reports(recipe, changes, tmp_path / "run")
    edges = [sum(lengths[: count + 1]) for count in range(3)]
    assert edges[1] < 24
    for report in found:
        done = (report.step - 1) * accumulate  # batches before this step
        epochs = sum(done >= edge for edge in edges)
        if epochs < 3:
            assert report.rate == 0.25 * 0.5**epochs


def test_no_number_of_the_gradient_moves_a_weight_further_than_its_limit(tmp_path, recipe):
    plain = [
        "optimizer={kind = 'sgd', learning_rate = 0.5}",
        "schedule={kind = 'constant', warmup_steps = 0}",
        "training.steps=1",
        "training.clip_norm=0",
    ]
    free, _, _, _ = reports(recipe, plain, tmp_path / "free")
    limited = [*plain, "training.clip_value=1e-3"]
    cut, before, after, _ = reports(recipe, limited, tmp_path / "cut")
    assert free[0].gradient_norm == cut[0].gradient_norm > 0.1
    furthest = max((new - old).abs().max() for old, new in zip(before, after, strict=True))
    assert furthest.item() == pytest.approx(0.5e-3, rel=1e-3)


def test_the_rate_falls_after_validations_that_brought_nothing(tmp_path, recipe, monkeypatch):
    monkeypatch.setattr(trainer, "draw_curves", lambda rows, path, title: path.write_bytes(b""))
    changes = [
        "schedule={kind = 'plateau', factor = 0.5, patience = 1, warmup_steps = 0}",
        "optimizer={kind = 'adam', learning_rate = 0.3}",  # far too high: the loss leaps about
        "training.validate_every=3",
        "training.log_every=1",
        "training.steps=21",
    ]
    train(recipe, changes, folder=tmp_path / "run")
    rows = [json.loads(line) for line in (tmp_path / "run/metrics.jsonl").read_text().splitlines()]
    rate, best, falls = 0.3, float("inf"), 0
    for row in rows:
        if row["kind"] == "train":
            assert row["rate"] == pytest.approx(rate, rel=1e-4)
        elif row["kind"] == "validation":
            falls += row["loss"] >= best
            rate = 0.3 * 0.5**falls
            best = min(best, row["loss"])
    assert falls > 1
