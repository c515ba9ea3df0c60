"""The training loop. Everything but the steps themselves is a watcher's business."""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import torch
from torch.optim import Optimizer

from dragoman.config.schedule import ScheduleSettings
from dragoman.config.training import TrainingSettings
from dragoman.core.errors import DivergedError
from dragoman.data.batching.endless import Position
from dragoman.engine.runtime import seed_everything
from dragoman.engine.training.objective import Objective
from dragoman.engine.training.plateau import Plateaus
from dragoman.engine.training.report import StepReport, Watcher
from dragoman.neural.optim.average import WeightAverage
from dragoman.neural.optim.gradient_clipping import clip_gradients
from dragoman.neural.optim.schedule import rate_share


@dataclass(frozen=True)
class TrainingPlan:
    """The plan of a training: its steps, learning rate, seed and device."""

    training: TrainingSettings
    schedule: ScheduleSettings
    rate: float
    seed: int
    device: torch.device
    plateaus: Plateaus = field(default_factory=Plateaus)
    """Counted while the steps are taken, by validation."""


def train(
    objective: Objective,
    batches: Iterator[tuple[Any, Position]],
    optimizer: Optimizer,
    average: WeightAverage | None,
    plan: TrainingPlan,
    watchers: Sequence[Watcher],
    start: int = 0,
    bad: int = 0,
) -> None:
    """Take the steps after `start`, the last `bad` of them skipped; tell watchers about each."""
    settings, model = plan.training, objective.model
    for step in range(start + 1, settings.steps + 1):
        began = time.perf_counter()
        seed_everything(plan.seed, step)
        objective.progress = (step - 1) / max(1, settings.steps - 1)
        model.train()
        group = list(islice(batches, settings.accumulate))
        tokens = sum(objective.denominator(batch) for batch, _ in group)
        nats = 0.0
        for batch, _ in group:
            bf16 = settings.precision == "bfloat16"
            with torch.autocast(plan.device.type, torch.bfloat16, enabled=bf16):
                loss = objective.loss(batch, plan.device)
            (loss.smoothed / tokens).backward()  # each token counts once
            nats += loss.nats.item()

        norm = clip_gradients([*model.parameters()], settings.clip_norm, settings.clip_value)
        finite = math.isfinite(norm) and math.isfinite(nats)
        bad = 0 if finite else bad + 1
        if bad > settings.bad_steps:
            raise DivergedError(_diverged(step, nats / tokens, norm))
        rate = plan.rate * _share(plan, step, group[0][1])
        if finite:
            for parameters in optimizer.param_groups:
                parameters["lr"] = rate
            optimizer.step()
            if average:
                average.update(model)
        optimizer.zero_grad(set_to_none=True)

        report = StepReport(
            step=step,
            nats=nats,
            tokens=tokens,
            targets=sum(objective.targets(batch) for batch, _ in group),
            gradient_norm=norm,
            rate=rate,
            seconds=time.perf_counter() - began,
            position=group[-1][1],
            skipped=bad,
        )
        for watch in watchers:
            watch(report)


def _share(plan: TrainingPlan, step: int, after: Position) -> float:
    """Return the share of the highest rate at a step whose first batch ends at `after`."""
    epochs = after.epoch if after.index else after.epoch - 1  # complete before that batch
    return rate_share(step, plan.training.steps, plan.schedule, epochs, plan.plateaus.count)


def _diverged(step: int, loss: float, norm: float) -> str:
    return (
        f"step {step}: the loss is {loss:.3g} and the gradient norm {norm:.3g}, which is not "
        "finite; the weights were left as they were before this step. "
        "Lower optimizer.learning_rate, lengthen schedule.warmup_steps, or set "
        "training.bad_steps to skip a few."
    )
