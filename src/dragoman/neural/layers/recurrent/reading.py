"""Running one cell along a sequence: written out as a loop, or by a kernel of torch's.

Sequences lie position by position, [n b i], and padding comes after a row's last real position.
Every way of reading returns the output at each position, which means nothing at padding, and each
row's state after its last real position.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from dragoman.neural.layers.recurrent.cells import Gru, Lstm, Parts, RecurrentCell, Rnn

HOLD = 1e4
"""Added to a gate's sum, opens it to exactly 1; taken from it, shuts it to exactly 0."""


@dataclass(frozen=True, slots=True)
class RealPositions:
    """The padding mask: which positions are real."""

    mask: Bool[Tensor, "n b"]

    shared: int = 0
    """So many positions at the beginning are known to be real in every row."""

    def between(self, first: int, last: int) -> "RealPositions":
        """Return the same for a part of the positions."""
        return RealPositions(self.mask[first:last], max(0, self.shared - first))

    def counts(self) -> Int[Tensor, " b"]:
        """Return how many positions of each row are real."""
        return self.mask.sum(0)


def real_positions(lengths: Int[Tensor, " b"] | None, count: int) -> RealPositions | None:
    """Return which of so many positions are real in each row, or None where all of them are."""
    if lengths is None:
        return None
    shared = 0
    if lengths.device.type == "cpu":  # elsewhere a look at the numbers would be waited for
        shared = int(lengths.min()) if len(lengths) else count
        if shared >= count:
            return None
    at = torch.arange(count, device=lengths.device).unsqueeze(1)  # n 1
    return RealPositions(at < lengths, shared)


Read = Callable[
    [RecurrentCell, Tensor, RealPositions | None, Parts, int | None], tuple[Tensor, Parts]
]
"""A way of running a cell along a sequence; with a number, gradients are cut every so often."""


def read_by_loop(
    cell: RecurrentCell,
    x: Float[Tensor, "n b i"],
    real: RealPositions | None,
    state: Parts,
    truncate: int | None = None,
) -> tuple[Float[Tensor, "n b d"], Parts]:
    """Run the cell's equations one position after the other."""
    matrices = cell.matrices()
    outputs = []
    for position, projected in enumerate(cell.project(x).unbind()):
        if truncate is not None and position and position % truncate == 0:
            state = _cut(state)
        output, after = cell.advance(projected, state, matrices)
        if real is not None and position >= real.shared:
            here = real.mask[position].unsqueeze(1)  # b 1
            after = tuple(
                torch.where(here, new, old) for new, old in zip(after, state, strict=True)
            )
        state = after
        outputs.append(output)
    return torch.stack(outputs), state


def read_by_kernel(
    cell: RecurrentCell,
    x: Float[Tensor, "n b i"],
    real: RealPositions | None,
    state: Parts,
    truncate: int | None = None,
) -> tuple[Float[Tensor, "n b d"], Parts]:
    """Run torch's kernel where it has one of the same mathematics; else the loop.

    Rows are padded, not packed, which for the LSTM keeps the fastest kernel: forward and backward
    of 32 rows of 12 to 25 positions on one CPU thread, in milliseconds of its time,

        width   lstm packed  padded  loop   gru packed  padded  loop   rnn packed  padded  loop
          256          51.0    38.2  53.9         38.5    40.1  44.1         16.0    13.7  14.0
          512         165.3   135.1 180.3        133.1   137.6 136.3         46.0    49.0  50.0
    """
    kernel = _kernel(cell, real)
    if kernel is None:
        return read_by_loop(cell, x, real, state, truncate)
    if truncate is None or truncate >= len(x):
        return kernel(cell, x, real, state)
    outputs = []
    for first in range(0, len(x), truncate):
        here = None if real is None else real.between(first, first + truncate)
        state = _cut(state) if first else state
        output, state = kernel(cell, x[first : first + truncate], here, state)
        outputs.append(output)
    return torch.cat(outputs), state


def _cut(state: Parts) -> Parts:
    return tuple(part.detach() for part in state)


Kernel = Callable[[RecurrentCell, Tensor, RealPositions | None, Parts], tuple[Tensor, Parts]]


def _kernel(cell: RecurrentCell, real: RealPositions | None) -> Kernel | None:
    match cell:
        case Lstm() if cell.forget_gate and cell.output_tanh:
            return _lstm
        case Gru():
            return partial(_plain, torch.gru)
        case Rnn() if cell.activation == "tanh":
            return partial(_plain, torch.rnn_tanh)
        case Rnn() if cell.activation == "relu" and real is None:
            # over long padding, where nothing stops it, a state without a bound might overflow
            return partial(_plain, torch.rnn_relu)
        case _:
            return None


def _plain(
    kernel: Callable[..., tuple[Tensor, Tensor]],
    cell: RecurrentCell,
    x: Float[Tensor, "n b i"],
    real: RealPositions | None,
    state: Parts,
) -> tuple[Float[Tensor, "n b d"], Parts]:
    """Run a kernel whose state is its output."""
    weights = [cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh]
    outputs, h = kernel(
        x, state[0].unsqueeze(0), weights, True, 1, 0.0, cell.training, False, False
    )
    return outputs, (h[0] if real is None else _last(outputs, real, state[0]),)


def _lstm(
    cell: RecurrentCell, x: Float[Tensor, "n b i"], real: RealPositions | None, state: Parts
) -> tuple[Float[Tensor, "n b d"], Parts]:
    """Run torch's LSTM kernel.

    It shows the memory only after the last position. So at padding one more input, with weights of
    its own, holds the forget gate open and the input gate shut, and the memory stays bit for bit
    what it was after the last real position.
    """
    weight_ih: Tensor = cell.weight_ih
    if real is not None:
        x = torch.cat((x, ~real.mask.unsqueeze(2)), dim=2)  # the flag becomes 0.0 or 1.0
        hold = weight_ih.new_zeros(len(weight_ih), 1)
        hold[: cell.width] = -HOLD
        hold[cell.width : 2 * cell.width] = HOLD
        weight_ih = torch.cat((weight_ih, hold), dim=1)
    weights = [weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh]
    first = [part.unsqueeze(0) for part in state]
    outputs, h, c = torch.lstm(x, first, weights, True, 1, 0.0, cell.training, False, False)
    return outputs, (h[0] if real is None else _last(outputs, real, state[0]), c[0])


def _last(
    outputs: Float[Tensor, "n b d"], real: RealPositions, before: Float[Tensor, "b d"]
) -> Float[Tensor, "b d"]:
    """Return the output at each row's last real position, or what was before where it has none."""
    counts = real.counts()
    rows = torch.arange(len(counts), device=counts.device)
    last = outputs[(counts - 1).clamp(min=0), rows]
    return torch.where(counts.unsqueeze(1) > 0, last, before)


def reverse_rows(x: Float[Tensor, "n b i"], real: RealPositions | None) -> Float[Tensor, "n b i"]:
    """Turn each row round, last real position first; padding stays. Twice is as before."""
    if real is None:
        return x.flip(0)
    count, rows = x.shape[:2]
    at = torch.arange(count, device=x.device).unsqueeze(1)  # n 1
    source = torch.where(real.mask, real.counts() - 1 - at, at)  # n b
    index = source * rows + torch.arange(rows, device=x.device)
    return x.flatten(0, 1).index_select(0, index.flatten()).view(x.shape)
