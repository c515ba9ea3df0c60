"""One LSTM sequence in two ways: read by hand, and differentiated by autograd through our cell."""

from dataclasses import dataclass

import torch
from pydantic import Field
from torch import Tensor

from dragoman.config.cells import LstmCell
from dragoman.config.settings import Settings
from dragoman.lab.topics.recurrent.drawn import RandomNumbers
from dragoman.lab.topics.recurrent.lstm_by_hand import (
    BLOCKS,
    Block,
    LstmGradients,
    LstmStep,
    LstmWeights,
    OutputWeights,
    back_propagate,
    read_sequence,
)
from dragoman.neural.layers.recurrent.cells import Parts
from dragoman.neural.objectives.cross_entropy import cross_entropy


class LstmGradientSettings(Settings):
    """An LSTM that predicts a class at every position of a random sequence."""

    width: int = Field(default=5, ge=1, le=32)
    """Size of the state, n_a."""
    input_width: int = Field(default=4, ge=1, le=32)
    """Size of the input at each position, n_x."""
    classes: int = Field(default=3, ge=2, le=32)
    """Classes to choose from, n_y."""
    steps: int = Field(default=7, ge=2, le=40)
    """Positions of the sequence."""
    seed: int = Field(default=1, ge=0, le=10_000)
    """Seed of the random weights, inputs and labels."""


@dataclass(frozen=True)
class LstmAutograd:
    """The same derivatives, by autograd through the cell and the cross entropy of ours."""

    d_a: Tensor
    d_c: Tensor
    d_x: Tensor
    d_sums: dict[Block, Tensor]
    """By position: the sums of the gates are what the projected input is added to."""
    d_w: dict[Block, Tensor]
    d_b: dict[Block, Tensor]
    d_output: OutputWeights


@dataclass(frozen=True)
class LstmRun:
    """One sequence with its labels: read by hand, and differentiated by autograd."""

    weights: LstmWeights
    out: OutputWeights
    steps: list[LstmStep]
    labels: Tensor
    by_autograd: LstmAutograd

    def by_hand(self) -> LstmGradients:
        """Return the derivatives by hand."""
        return back_propagate(self.weights, self.out, self.steps, self.labels)


def run_both(settings: LstmGradientSettings) -> LstmRun:
    """Draw a cell, an output layer and a sequence; read it in both ways."""
    draw = RandomNumbers(settings.seed)
    cell = draw.cell(LstmCell(), settings.input_width, settings.width)
    w, b = draw(settings.classes, settings.width), draw(settings.classes)
    labels = torch.randint(settings.classes, (settings.steps,), generator=draw.generator)
    x, first = draw(settings.steps, settings.input_width), draw.state(cell)
    for leaf in (w, b, x):
        leaf.requires_grad_()

    projected, state = cell.project(x.unsqueeze(1)), first
    projected.retain_grad()
    states: list[Parts] = []
    for position in projected:
        _, state = cell.step(position, state)
        for part in state:
            part.retain_grad()
        states.append(state)
    outputs = torch.stack([h for h, _ in states], dim=1)
    cross_entropy(outputs, w, labels.unsqueeze(0), padding=-1, bias=b).smoothed.backward()

    whole = torch.cat((gradient(cell.weight_hh), gradient(cell.weight_ih)), dim=1)
    by_autograd = LstmAutograd(
        d_a=torch.cat([gradient(h) for h, _ in states]),
        d_c=torch.cat([gradient(c) for _, c in states]),
        d_x=gradient(x),
        d_sums=dict(zip(BLOCKS, gradient(projected)[:, 0].chunk(4, dim=1), strict=True)),
        d_w=dict(zip(BLOCKS, whole.chunk(4), strict=True)),
        d_b=dict(zip(BLOCKS, gradient(cell.bias_ih).chunk(4), strict=True)),
        d_output=OutputWeights(gradient(w), gradient(b)),
    )
    weights, out = LstmWeights.of(cell), OutputWeights(w.detach(), b.detach())
    steps = read_sequence(weights, x.detach(), first[0][0], first[1][0])
    return LstmRun(weights, out, steps, labels, by_autograd)


def gradient(leaf: Tensor) -> Tensor:
    """Return the gradient that a backward pass has left."""
    return torch.zeros_like(leaf) if leaf.grad is None else leaf.grad
