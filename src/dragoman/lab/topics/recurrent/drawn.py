"""Cells and networks with random weights in float64; no global random state is touched."""

from collections.abc import Callable
from typing import TypeVar

import torch
from pydantic import Field
from torch import Tensor, nn

from dragoman.config.cells import CellSettings
from dragoman.config.settings import Settings
from dragoman.lab.sampling import NumberSampler
from dragoman.neural.layers.recurrent.cells import Parts, RecurrentCell, build_cell
from dragoman.neural.layers.recurrent.stack import RecurrentStack

CLOSED, OPEN = -1e4, 1e4
"""Pre-activations at which the sigmoid is exactly 0 and exactly 1 in float64."""
SCALE = 0.5
"""Standard deviation of weights and biases; zero biases would hide a mistake."""

Network = TypeVar("Network", bound=nn.Module)


class SquareCellSettings(Settings):
    """A recurrent cell with random weights, whose input is as wide as its state."""

    width: int = Field(default=5, ge=1, le=64)
    """Size of the state."""
    seed: int = Field(default=1, ge=0, le=10_000)
    """Seed of the random weights and inputs."""


class DrawnCellSettings(SquareCellSettings):
    """A recurrent cell with random weights."""

    input_width: int = Field(default=4, ge=1, le=64)
    """Size of the input at each step."""


class UnrolledCellSettings(DrawnCellSettings):
    """A recurrent cell that reads a whole sequence."""

    steps: int = Field(default=6, ge=1, le=60)
    """Positions of the sequence."""


class RandomNumbers(NumberSampler):
    """Normal random numbers, and recurrent cells with random weights."""

    def __call__(self, *shape: int) -> Tensor:
        """Return so many numbers."""
        return self.normal(*shape)

    def network(self, build: Callable[[], Network], scale: float = SCALE) -> Network:
        """Build a network and fill it with random weights."""
        with torch.random.fork_rng(devices=[]):
            network = build().double()
        with torch.no_grad():
            for weight in network.parameters():
                weight.copy_(scale * self(*weight.shape))
        return network

    def cell(self, kind: CellSettings, input_width: int, width: int) -> RecurrentCell:
        """Build a cell and draw its weights."""
        return self.network(lambda: build_cell(kind, input_width, width))

    def state(self, cell: RecurrentCell, rows: int = 1) -> Parts:
        """Draw a state of the cell."""
        return tuple(self(rows, cell.width) for _ in range(cell.parts))


def with_weights_of(cell: nn.Module, build: Callable[[], Network]) -> Network:
    """Build one of torch's networks and give it the weights of our cell."""
    with torch.random.fork_rng(devices=[]):
        network = build().double()
    network.load_state_dict(cell.state_dict())
    return network


@torch.no_grad()
def hold_gate(cell: RecurrentCell, gate: int, value: float) -> None:
    """Set the pre-activation of one gate to a constant, whatever the input and the state."""
    for weight in (cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh):
        weight.chunk(cell.gates)[gate].zero_()
    cell.bias_ih.chunk(cell.gates)[gate].fill_(value)


def gate_sums(cell: RecurrentCell, h: Tensor, x: Tensor) -> tuple[Tensor, ...]:
    """Return the pre-activations W [h; x] + b of all gates, with one matrix for state and input."""
    whole = torch.cat((cell.weight_hh, cell.weight_ih), dim=1)
    sums = torch.cat((h, x), dim=1) @ whole.t() + cell.bias_ih + cell.bias_hh
    return sums.chunk(cell.gates, dim=1)


def step(cell: RecurrentCell, x: Tensor, state: Parts) -> tuple[Tensor, Parts]:
    """Take one step of a cell from the input itself."""
    return cell.step(cell.project(x), state)


def cell_of(stack: RecurrentStack, number: int = 0) -> RecurrentCell:
    """Return one of the cells of a stack."""
    cell = stack.cells[number]
    if not isinstance(cell, RecurrentCell):
        raise TypeError(f"{type(cell).__name__} is not a recurrent cell.")
    return cell
