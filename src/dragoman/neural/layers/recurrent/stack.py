"""Recurrent layers one above the other, read in one direction or in both."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from dragoman.config.cells import CellSettings
from dragoman.core.errors import ConfigError
from dragoman.neural.layers.dropout import Dropout
from dragoman.neural.layers.recurrent.cells import Parts, RecurrentCell, build_cell
from dragoman.neural.layers.recurrent.initialize import initialize_cells
from dragoman.neural.layers.recurrent.reading import (
    Read,
    read_by_kernel,
    real_positions,
    reverse_rows,
)
from dragoman.neural.layers.recurrent.state import RecurrentState


class RecurrentStack(nn.Module):
    """Recurrent layers, each reading the outputs of the one below.

    With two directions every layer reads its input onward and backward, and its output is both,
    side by side. With residual connections a layer's input is added to its output, from the second
    layer on, where the widths are equal.
    """

    def __init__(
        self,
        cell: CellSettings,
        input_width: int,
        width: int,
        layers: int,
        *,
        bidirectional: bool = False,
        residual: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.width = width
        self.residual = residual
        self.directions = 2 if bidirectional else 1
        self.output_width = width * self.directions
        self.dropout = Dropout(dropout)
        widths = [input_width] + [self.output_width] * (layers - 1)
        self.cells = nn.ModuleList(
            build_cell(cell, below, width) for below in widths for _ in range(self.directions)
        )
        self.read: Read = read_by_kernel  # the one seam: tests run the written-out equations
        initialize_cells(self)

    @property
    def layers(self) -> int:
        """The number of layers."""
        return len(self.cells) // self.directions

    def begin(self, rows: int) -> RecurrentState:
        """Return the state before the first position: zeros."""
        first = self._cell(0)
        shape = (len(self.cells), rows, self.width)
        return RecurrentState(tuple(first.weight_hh.new_zeros(shape) for _ in range(first.parts)))

    def forward(
        self,
        x: Float[Tensor, "b n i"],
        lengths: Int[Tensor, " b"] | None = None,
        state: RecurrentState | None = None,
        *,
        truncate: int | None = None,
    ) -> tuple[Float[Tensor, "b n o"], RecurrentState]:
        """Read whole rows; return the outputs, and each row's state after its last position.

        Only the first `lengths` positions of a row count; the outputs after them are zero.
        With `truncate`, the gradient flows back through at most so many positions: each direction
        of each layer is read in segments of that length, and the states between them are cut off.
        """
        real = real_positions(lengths, x.shape[1])
        first = (self.begin(len(x)) if state is None else state).parts
        x = x.transpose(0, 1)  # n b i
        last: list[Parts] = []
        for layer in range(self.layers):
            below = self.dropout(x) if layer else x
            outputs = []
            for number in range(layer * self.directions, (layer + 1) * self.directions):
                own = tuple(part[number] for part in first)
                backward = number > layer * self.directions
                seen = reverse_rows(below, real) if backward else below
                output, after = self.read(self._cell(number), seen, real, own, truncate)
                outputs.append(reverse_rows(output, real) if backward else output)
                last.append(after)
            above = outputs[0] if len(outputs) == 1 else torch.cat(outputs, dim=2)
            x = x + above if self.residual and layer else above
        if real is not None:
            x = x.masked_fill(~real.mask.unsqueeze(2), 0.0)
        return x.transpose(0, 1), _state(last)

    def step(
        self, x: Float[Tensor, "b i"], state: RecurrentState
    ) -> tuple[Float[Tensor, "b d"], RecurrentState]:
        """Read one more position of each row; return its output and the state after it."""
        if self.directions > 1:
            raise ConfigError("A network that reads both ways cannot go on step by step.")
        last: list[Parts] = []
        for layer in range(self.layers):
            cell = self._cell(layer)
            below = self.dropout(x) if layer else x
            above, after = cell.step(cell.project(below), tuple(p[layer] for p in state.parts))
            x = x + above if self.residual and layer else above
            last.append(after)
        return x, _state(last)

    def _cell(self, number: int) -> RecurrentCell:
        cell = self.cells[number]
        if not isinstance(cell, RecurrentCell):
            raise TypeError(f"{type(cell).__name__} is no recurrent cell.")
        return cell


def _state(last: list[Parts]) -> RecurrentState:
    return RecurrentState(tuple(torch.stack(part) for part in zip(*last, strict=True)))
