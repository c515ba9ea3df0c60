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
"""Shorter steps do not reach the minimum in so many updates, longer ones step over it."""
WORST = 1e30
"""Losses are drawn no higher than this."""


class ClippingSettings(Settings):
    """A network that learns to remember a number, with initial weights that are too large."""

    weight: float = Field(default=1.2, ge=0.5, le=1.3)
    """Initial recurrent weight from each unit to itself."""
    steps: int = Field(default=20, ge=10, le=30)
    """Steps for which the number has to be remembered."""
    learning_rate: float = Field(default=0.03, ge=0.005, le=0.1)
    """Learning rate of gradient descent."""
    norm: float = Field(default=1.0, ge=0.1, le=5)
    """Largest norm of a clipped gradient."""
    seed: int = Field(default=2, ge=0, le=9999)
    """Seed of weights and numbers."""


@dataclass(frozen=True)
class ClippingRun:
    """Losses and gradient norms of one training run, update by update."""

    losses: list[float]
    norms: list[float]


def _train(settings: ClippingSettings, norm: float) -> ClippingRun:
    """Train a recurrent network to output at the end what it read at the beginning."""
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
    """Return the numbers to be remembered."""
    return NumberSampler(settings.seed + 1).normal(ROWS)


def _shorten(norm: float, seed: int) -> tuple[Tensor, Tensor]:
    """Return a gradient that is three times too long, before and after clipping."""
    drawn = NumberSampler(seed).normal(20)
    before = 3 * norm * drawn / drawn.norm()
    parts = [nn.Parameter(torch.zeros(size, dtype=torch.float64)) for size in (5, 15)]
    for part, gradient in zip(parts, before.split((5, 15)), strict=True):
        part.grad = gradient.clone()
    clip_gradients(parts, norm, 0.0)
    return before, torch.cat([part.grad for part in parts if part.grad is not None])


@claim(
    "E88",
    "If every factor is larger than 1, the gradient explodes, and a single step can throw the "
    "weights far off. Clipping rescales a gradient that is longer than a threshold and keeps "
    "its direction. For matrices, a norm above 1 is necessary for an explosion but not "
    "sufficient.",
    r"\mathbf{g} \leftarrow \mathbf{g} \cdot \min\!\left(1, \frac{\theta}{\lVert \mathbf{g} "
    r"\rVert}\right)",
)
def clipping_rescues(settings: ClippingSettings) -> Evidence:
    """Train the same network with and without clipping."""
    before, after = _shorten(settings.norm, settings.seed)
    plain, clipped = _train(settings, 0.0), _train(settings, settings.norm)
    nilpotent = torch.tensor([[0.0, 5.0], [0.0, 0.0]], dtype=torch.float64)
    longest = settings.learning_rate * settings.norm
    factors = torch.full((settings.steps, 1), settings.weight, dtype=torch.float64)
    grown = chain_slopes(factors, torch.ones(1, dtype=torch.float64))
    silent = float(_numbers(settings).square().mean())  # the loss of always answering zero
    return Evidence(
        premises=[
            above("each factor", settings.weight, 1),
            above("norm of the first gradient", plain.norms[0], 10 * settings.norm),
            at_least("longest update that clipping allows", longest, SHORTEST_STEP),
            at_most("longest update that clipping allows", longest, LONGEST_STEP),
        ],
        stated=[
            equal(
                "derivative through a chain of such factors, over their product",
                grown / settings.weight**settings.steps,
                1,
            ),
            above("derivative through the chain, above one factor", grown, settings.weight),
            equal("norm after clipping", after.norm(), settings.norm, 1e-5),
            same(
                "direction after clipping against before",
                after / after.norm(),
                before / before.norm(),
            ),
            at_least(
                "final loss without clipping, at least that of always answering 0",
                plain.losses[-1],
                (1 - 1e-9) * silent,
            ),
            below("final loss with clipping, below half of that", clipped.losses[-1], 0.5 * silent),
            above("norm of a matrix A", torch.linalg.matrix_norm(nilpotent, 2), 1),
            equal(
                "norm of A², which does not explode",
                torch.linalg.matrix_norm(nilpotent @ nilpotent, 2),
                0,
            ),
        ],
        numbers={
            "loss at the start": clipped.losses[0],
            "loss of always answering 0": silent,
            "updates until the loss without clipping is not finite": len(plain.norms),
        },
        plot=[
            Panel(
                "Training loss",
                [
                    curve("without clipping", *_shown(plain), 1),
                    curve("with clipping", *_shown(clipped), 0),
                ],
                "update",
                logarithmic=True,
            )
        ],
    )


def _shown(run: ClippingRun) -> tuple[range, list[float]]:
    return range(len(run.losses)), [min(one, WORST) for one in run.losses]
