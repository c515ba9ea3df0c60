"""Trainings too small for a run folder: the product's loop and optimizer, kept in memory."""

from collections.abc import Callable, Iterator
from typing import Any

import torch

from dragoman.config.optimizer import AdamW, OptimizerSettings
from dragoman.config.schedule import Cosine
from dragoman.config.training import TrainingSettings
from dragoman.data.batching.endless import Position
from dragoman.engine.runtime import start
from dragoman.engine.training.loop import TrainingPlan
from dragoman.engine.training.loop import train as take_steps
from dragoman.engine.training.objective import Objective
from dragoman.engine.training.report import StepReport
from dragoman.neural.optim.optimizer import build_optimizer

WARMUP_SHARE = 20
"""Of so many steps one is of the warm-up."""


def begin(seed: int) -> None:
    """Set one thread, and the seed that a network is drawn with."""
    start(TrainingSettings(threads=1, device="cpu"))
    torch.manual_seed(seed)


def train_small(
    objective: Objective,
    batches: Iterator[tuple[Any, Position]],
    *,
    steps: int,
    learning_rate: float,
    seed: int,
    optimizer: OptimizerSettings | None = None,
) -> list[float]:
    """Take so many steps on some batches, by AdamW unless told; return the loss of each."""
    settings = TrainingSettings(steps=steps, threads=1, device="cpu")
    schedule = Cosine(warmup_steps=max(1, steps // WARMUP_SHARE))
    plan = TrainingPlan(settings, schedule, learning_rate, seed, torch.device("cpu"))
    losses: list[float] = []

    def note(report: StepReport) -> None:
        losses.append(report.nats / report.tokens)

    method = optimizer or AdamW(learning_rate=learning_rate)
    take_steps(objective, batches, build_optimizer(objective.model, method), None, plan, [note])
    objective.model.eval()
    return losses


def numbered(draw: Callable[[int], Any]) -> Iterator[tuple[Any, Position]]:
    """Yield batches that are drawn by their numbers, endlessly."""
    number = 0
    while True:
        yield draw(number), Position(0, number + 1)
        number += 1
