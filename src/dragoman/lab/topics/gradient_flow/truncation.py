"""Claims on truncated backpropagation through time."""

from typing import Literal

import torch
from pydantic import Field
from torch import Tensor

from dragoman.config.cells import CellSettings, GruCell, LstmCell, RnnCell
from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, below, equal, same
from dragoman.lab.sampling import NumberSampler
from dragoman.neural.layers.recurrent.cells import RecurrentCell
from dragoman.neural.layers.recurrent.stack import RecurrentStack
from dragoman.plots.lab import Panel, curve

INPUT, WIDTH, ROWS = 4, 8, 3


class TruncationSettings(Settings):
    """A recurrent network whose gradient is truncated."""

    cell: Literal["rnn", "gru", "lstm"] = "rnn"
    """Recurrent cell."""
    window: int = Field(default=4, ge=1, le=40)
    """Largest number of steps through which the gradient flows back."""
    steps: int = Field(default=24, ge=2, le=40)
    """Length of the sequence."""
    radius: float = Field(default=1.1, ge=0, le=2)
    """Spectral radius of the recurrent matrices."""
    seed: int = Field(default=1, ge=0, le=9999)
    """Seed of weights, inputs and targets."""


def _stack(settings: TruncationSettings) -> RecurrentStack:
    kinds: dict[str, CellSettings] = {"rnn": RnnCell(), "gru": GruCell(), "lstm": LstmCell()}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        stack = RecurrentStack(kinds[settings.cell], INPUT, WIDTH, 1).double()
    with torch.no_grad():
        for cell in stack.modules():
            if isinstance(cell, RecurrentCell):
                cell.weight_hh.mul_(settings.radius)
    return stack


def _gradient(stack: RecurrentStack, outputs: Tensor, target: Tensor) -> Tensor:
    """Return the gradient of the summed squared error for all weights, as one vector."""
    found = torch.autograd.grad((outputs - target).square().sum(), [*stack.parameters()])
    return torch.cat([one.flatten() for one in found])


def _by_hand(stack: RecurrentStack, x: Tensor, window: int) -> Tensor:
    """Return the outputs of a loop that detaches its state at the start of each window."""
    state, outputs = stack.begin(len(x)), []
    for position in range(x.shape[1]):
        if position % window == 0:
            state = type(state)(tuple(part.detach() for part in state.parts))
        output, state = stack.step(x[:, position], state)
        outputs.append(output)
    return torch.stack(outputs, dim=1)


@claim(
    "E89",
    "Truncated backpropagation through time propagates the error back through a limited number "
    "of steps only. Earlier inputs receive exactly zero gradient, so the gradient is biased, "
    "and dependencies longer than the window are not learned.",
    r"\frac{\partial L_t}{\partial W} \approx \sum_{k=t-\tau+1}^{t} "
    r"\frac{\partial L_t}{\partial \mathbf{h}_t} "
    r"\frac{\partial \mathbf{h}_t}{\partial \mathbf{h}_k} "
    r"\frac{\partial^{+} \mathbf{h}_k}{\partial W}",
    notes="the problem with fewer steps is that the error “is also propagated”; the wording is "
    "unclear, and taken literally the opposite is true.",
)
def truncation(settings: TruncationSettings) -> Evidence:
    """Compare the truncated gradient with the full one and with a loop that detaches its state."""
    stack, sampler = _stack(settings), NumberSampler(settings.seed + 1)
    x = sampler.normal(ROWS, settings.steps, INPUT).requires_grad_()
    target = sampler.normal(ROWS, settings.steps, WIDTH)
    whole = _gradient(stack, stack(x)[0], target)

    def cut(window: int) -> Tensor:
        return _gradient(stack, stack(x, truncate=window)[0], target)

    def cosine(one: Tensor) -> float:
        return float(torch.nn.functional.cosine_similarity(one, whole, dim=0))

    outputs = stack(x, truncate=settings.window)[0]
    begun = (settings.steps - 1) // settings.window * settings.window
    (slope,) = torch.autograd.grad(outputs[:, -1].sum(), x)
    earlier = slope[:, :begun].abs().sum()
    found, size = cut(settings.window), whole.abs().max().clamp(min=1)
    by_hand = _gradient(stack, _by_hand(stack, x, settings.window), target)
    windows = sorted({1, 2, 3, 4, 6, 8, 12, 16, 24, 32, settings.steps})
    windows = [one for one in windows if one <= settings.steps]
    return Evidence(
        premises=[below("window, shorter than the sequence", settings.window, settings.steps)],
        stated=[above("gradient that reaches inputs before the window", earlier, 0)],
        corrected=[
            equal("gradient that reaches inputs before the window", earlier, 0, 0),
            above("gradient that reaches inputs within it", slope[:, begun:].abs().sum(), 0),
            same("truncated gradient against a loop that detaches", found / size, by_hand / size),
            same(
                "a window of the full length against no truncation",
                cut(settings.steps) / size,
                whole / size,
            ),
            below("cosine between truncated and full gradient", cosine(found), 1 - 1e-9),
        ],
        numbers={
            "cosine with the full gradient": cosine(found),
            "norm over that of the full gradient": float(found.norm() / whole.norm()),
        },
        plot=[
            Panel(
                "Cosine with the full gradient",
                [curve(settings.cell, windows, [cosine(cut(one)) for one in windows], 0)],
                "window",
            )
        ],
    )
