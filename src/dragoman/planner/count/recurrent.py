"""Closed forms of recurrent layers, as their equations have them, position after position.

With g gates (rnn 1, gru-update 2, gru 3, lstm 4 or 3), d the state and i the input:

parameters   g·d·i + g·d·d + 2·g·d
FLOPs        2·g·d·(i + d) for each position
"""

from dataclasses import dataclass
from typing import assert_never

from dragoman.config.cells import CellSettings, GruCell, LstmCell, RnnCell, SimpleGruCell
from dragoman.planner.count.layers import added
from dragoman.planner.count.tape import FLOAT, Signal, Tape


def gates_of(cell: CellSettings) -> int:
    """Return how many blocks of d rows the matrices of a cell have."""
    match cell:
        case RnnCell():
            return 1
        case SimpleGruCell():
            return 2
        case GruCell():
            return 3
        case LstmCell():
            return 4 if cell.forget_gate else 3
        case _:
            assert_never(cell)


def state_parts(cell: CellSettings) -> int:
    """Return how many vectors the state of a cell is made of."""
    return 2 if isinstance(cell, LstmCell) else 1


@dataclass(frozen=True, slots=True)
class StackShape:
    """Recurrent layers one above the other."""

    cell: CellSettings
    width: int
    layers: int
    bidirectional: bool = False
    residual: bool = False
    dropout: float = 0.0

    @property
    def directions(self) -> int:
        """Directions that each layer reads in."""
        return 2 if self.bidirectional else 1

    @property
    def output_width(self) -> int:
        """Width of what a layer says: both directions side by side."""
        return self.width * self.directions


def recurrent_stack(
    tape: Tape, name: str, shape: StackShape, x: Signal, *, begins: Signal | None = None
) -> Signal:
    """Count the layers along a whole sequence (b n i); `begins` is the first state, else zeros."""
    batch, length = x.shape[:2]
    with tape.part(name, f"recurrent stack of {shape.layers}"):
        for layer in range(shape.layers):
            below = tape.dropout(x, shape.dropout) if layer else x
            above = None
            for number in range(layer * shape.directions, (layer + 1) * shape.directions):
                above = cell_along(
                    tape,
                    f"cells.{number}",
                    shape,
                    below,
                    first_slope=begins is not None and begins.slope,
                    from_end=shape.layers - layer,
                )
            if above is None:
                raise ValueError("a stack has at least one direction.")
            out = tape.signal(batch, length, shape.output_width, slope=above.slope)
            x = added(tape, x, out) if shape.residual and layer else out
    return x


def cell_along(
    tape: Tape, name: str, shape: StackShape, x: Signal, *, first_slope: bool, from_end: int
) -> Signal:
    """Count one cell along b n i; without a gradient into its first state, one product less."""
    batch, length, before = x.shape
    with tape.part(name, shape.cell.kind, last_layers=from_end):
        w_input, w_state, biased = cell_weights(tape, shape.cell, before, shape.width)
        read = 2 * gates_of(shape.cell) * shape.width * before * batch
        tape.product(read * length, x.slope, w_input)
        slope = x.slope or w_input or w_state or biased
        state_product(tape, shape, batch, length, (slope, first_slope), trained=w_state)
        if w_input:
            tape.keep(x)
        keep_states(tape, shape, batch, length, fused=True)
        y = tape.signal(batch, length, shape.width, slope=slope or first_slope)
        if y.slope:
            tape.keep(y)
        return y


def cell_weights(tape: Tape, cell: CellSettings, before: int, width: int) -> tuple[bool, ...]:
    """Count the weights of a cell; say whether matrices and biases are trained."""
    rows = gates_of(cell) * width
    return (
        tape.weight(rows * before, "matrix", "weight_ih"),
        tape.weight(rows * width, "matrix", "weight_hh"),
        tape.weight(rows, "bias", "bias_ih") | tape.weight(rows, "bias", "bias_hh"),
    )


def state_product(
    tape: Tape,
    shape: StackShape,
    batch: int,
    length: int,
    slopes: tuple[bool, bool],
    *,
    trained: bool,
) -> None:
    """Count Wh of so many positions; `slopes` says of the states after and before the first.

    A state that is reset before its matrix (Cho et al. 2014) has a gradient from the first position
    on in its third gate, through the reset gate.
    """
    flops = 2 * gates_of(shape.cell) * shape.width * shape.width * batch
    after, first = slopes
    reset_before = isinstance(shape.cell, GruCell) and shape.cell.reset == "before"
    if length:
        tape.product(flops if not reset_before else flops // 3 * 2, first, trained)
        if reset_before:
            tape.product(flops // 3, first or after, trained)
    tape.product(flops * max(0, length - 1), after or first, trained)


def keep_states(tape: Tape, shape: StackShape, batch: int, length: int, *, fused: bool) -> None:
    """Keep the gates of every position, and the memories where a cell has them."""
    vectors = kept_vectors(shape.cell, fused=fused)
    tape.keep_bytes(FLOAT * vectors * shape.width * batch * length)


def kept_vectors(cell: CellSettings, *, fused: bool) -> int:
    """Return how many vectors a cell keeps of each position besides its input and output.

    The loop and torch's kernels keep the same, but for that of the LSTM: the workspace of oneDNN
    has about fifteen vectors, with room for the gradients.
    """
    match cell:
        case RnnCell():
            return 0 if cell.state == "after" else 1
        case SimpleGruCell():
            return 2
        case GruCell():
            return 6 if cell.reset == "after" else 4
        case LstmCell():
            if fused and cell.forget_gate and cell.output_tanh:
                return 15
            return 6 if cell.forget_gate else 4
        case _:
            assert_never(cell)
