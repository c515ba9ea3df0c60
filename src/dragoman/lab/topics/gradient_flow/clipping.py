"""Claims on exploding gradients and on clipping them."""

import math
from dataclasses import dataclass

import torch
from pydantic import Field
from torch import Tensor, nn

from dragoman.config.cells import RnnCell
from dragoman.config.optimizer import Sgd
from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, at_least, at_most, below, equal, same
from dragoman.lab.sampling import NumberSampler
from dragoman.lab.topics.gradient_flow.chains import chain_slopes
from dragoman.neural.layers.recurrent.cells import RecurrentCell
from dragoman.neural.layers.recurrent.stack import RecurrentStack
from dragoman.neural.optim.equations import no_memory, sgd
from dragoman.neural.optim.gradient_clipping import clip_gradients
from dragoman.plots.lab import Panel, curve

WIDTH, ROWS, UPDATES = 8, 8, 150
SHORTEST_STEP, LONGEST_STEP = 0.02, 0.15
"""Shorter ones do not get there in so many updates, longer ones step over the goal."""
WORST = 1e30
"""A loss that is drawn no higher."""


class ClippingSettings(Settings):
    """A network that learns to hold a number, from weights that are too large."""

    weight: float = Field(default=1.2, ge=0.5, le=1.3)
    """Weight with which each entry of the state keeps itself at first."""
    steps: int = Field(default=20, ge=10, le=30)
    """Steps over which the number is to be held."""
    learning_rate: float = Field(default=0.03, ge=0.005, le=0.1)
    """Learning rate of gradient descent."""
    norm: float = Field(default=1.0, ge=0.1, le=5)
    """Norm to which gradients are shortened."""
    seed: int = Field(default=2, ge=0, le=9999)
    """Seed of weights and numbers."""


@dataclass(frozen=True)
class ClippingRun:
    """The losses of one training and the norms of its gradients, step by step."""

    losses: list[float]
    norms: list[float]


def _train(settings: ClippingSettings, norm: float) -> ClippingRun:
    """Train a recurrent network to say at the end what it read at the beginning."""
    sampler = NumberSampler(settings.seed)
    with torch.random.fork_rng(devices=[]):
        stack = RecurrentStack(RnnCell(activation="relu"), 1, WIDTH, 1).double()
    weights = [*stack.parameters()]
    own = settings.weight * torch.eye(WIDTH, dtype=torch.float64)
    with torch.no_grad():
        for cell in stack.modules():
            if isinstance(cell, RecurrentCell):
                cell.weight_hh.copy_(own + 0.1 * sampler.normal(WIDTH, WIDTH))
                cell.weight_ih.copy_(sampler.normal(WIDTH, 1))
    readout = sampler.normal(WIDTH) / math.sqrt(WIDTH)
    x = torch.zeros(ROWS, settings.steps, 1, dtype=torch.float64)
    x[:, 0, 0] = _numbers(settings)
    losses, norms = [], []
    for _ in range(UPDATES):
        loss = (stack(x)[0][:, -1] @ readout - x[:, 0, 0]).square().mean()
        losses.append(loss.item())
        if not math.isfinite(losses[-1]):
            break
        stack.zero_grad()
        loss.backward()
        norms.append(clip_gradients(weights, norm, 0.0))
        with torch.no_grad():
            for one in weights:
                one.copy_(_moved(one, settings.learning_rate))
    return ClippingRun([one if math.isfinite(one) else math.inf for one in losses], norms)


def _moved(weights: nn.Parameter, rate: float) -> Tensor:
    """Return weights after a step of plain gradient descent."""
    if weights.grad is None:
        return weights
    return sgd(weights, weights.grad, no_memory(weights), Sgd(), rate)[0]


def _numbers(settings: ClippingSettings) -> Tensor:
    """Return the numbers that are to be held."""
    return NumberSampler(settings.seed + 1).normal(ROWS)


def _shorten(norm: float, seed: int) -> tuple[Tensor, Tensor]:
    """Return a gradient that is three times too long, before and after it is clipped."""
    drawn = NumberSampler(seed).normal(20)
    before = 3 * norm * drawn / drawn.norm()
    parts = [nn.Parameter(torch.zeros(size, dtype=torch.float64)) for size in (5, 15)]
    for part, gradient in zip(parts, before.split((5, 15)), strict=True):
        part.grad = gradient.clone()
    clip_gradients(parts, norm, 0.0)
    return before, torch.cat([part.grad for part in parts if part.grad is not None])


@claim(
    "E88",
    "If every factor is more than 1, the gradient explodes, and one step along it throws the "
    "weights far off. Clipping shortens a gradient that is longer than a threshold and leaves its "
    "direction. For matrices, a norm above 1 is necessary for an explosion, not sufficient.",
    r"\mathbf{g} \leftarrow \mathbf{g} \cdot \min\!\left(1, \frac{\theta}{\lVert \mathbf{g} "
    r"\rVert}\right)",
)
def clipping_rescues(settings: ClippingSettings) -> Evidence:
    """Train the same network twice, with clipping and without."""
    before, after = _shorten(settings.norm, settings.seed)
    plain, clipped = _train(settings, 0.0), _train(settings, settings.norm)
    nilpotent = torch.tensor([[0.0, 5.0], [0.0, 0.0]], dtype=torch.float64)
    longest = settings.learning_rate * settings.norm
    factors = torch.full((settings.steps, 1), settings.weight, dtype=torch.float64)
    grown = chain_slopes(factors, torch.ones(1, dtype=torch.float64))
    silent = float(_numbers(settings).square().mean())  # the loss of who always says nought
    return Evidence(
        premises=[
            above("every factor", settings.weight, 1),
            above("norm of the first gradient", plain.norms[0], 10 * settings.norm),
            at_least("longest step that clipping allows", longest, SHORTEST_STEP),
            at_most("the same", longest, LONGEST_STEP),
        ],
        stated=[
            equal(
                "derivative through a chain of such factors, over their product",
                grown / settings.weight**settings.steps,
                1,
            ),
            above("derivative through the chain", grown, settings.weight),
            equal("norm after clipping", after.norm(), settings.norm, 1e-5),
            same("difference of the directions", after / after.norm(), before / before.norm()),
            at_least("last loss without clipping", plain.losses[-1], (1 - 1e-9) * silent),
            below("last loss with clipping", clipped.losses[-1], 0.5 * silent),
        ],
        numbers={
            "loss at the start": clipped.losses[0],
            "loss of always saying nought": silent,
            "steps before the loss without clipping is no number": len(plain.norms),
            "norm of a matrix whose square is 0": float(torch.linalg.matrix_norm(nilpotent, 2)),
            "norm of its square": float(torch.linalg.matrix_norm(nilpotent @ nilpotent, 2)),
        },
        plot=[
            Panel(
                "loss",
                [
                    curve("without clipping", *_shown(plain), 1),
                    curve("with clipping", *_shown(clipped), 0),
                ],
                "step",
                logarithmic=True,
            )
        ],
    )


def _shown(run: ClippingRun) -> tuple[range, list[float]]:
    return range(len(run.losses)), [min(one, WORST) for one in run.losses]
