"""Claims on the gates of the LSTM, each isolated by holding the others open or closed."""

import torch
from pydantic import Field
from torch import nn

from dragoman.config.cells import LstmCell
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, below, equal, same
from dragoman.lab.topics.recurrent.drawn import (
    CLOSED,
    OPEN,
    DrawnCellSettings,
    RandomNumbers,
    UnrolledCellSettings,
    gate_sums,
    hold_gate,
    step,
    with_weights_of,
)
from dragoman.neural.layers.recurrent.cells import Parts, RecurrentCell
from dragoman.plots.lab import Panel, curve

INPUT, FORGET, CANDIDATE, OUTPUT = range(4)
"""Blocks of an LSTM's weights, in the order in which they are stored."""
ROWS = 3
SUMS = [number / 2 for number in range(-16, 17)]


class GateSettings(DrawnCellSettings):
    """A gate whose pre-activation is set by hand."""

    gate_sum: float = Field(default=-1.0, ge=-20.0, le=20.0)
    """The pre-activation of the gate, the input of its sigmoid."""


def _drawn(settings: DrawnCellSettings) -> tuple[RandomNumbers, RecurrentCell, torch.Tensor, Parts]:
    draw = RandomNumbers(settings.seed)
    cell = draw.cell(LstmCell(), settings.input_width, settings.width)
    return draw, cell, draw(ROWS, settings.input_width), draw.state(cell, ROWS)


def _theirs(cell: RecurrentCell, x: torch.Tensor, state: Parts) -> Parts:
    """Return the state after a step of torch's cell with the same weights."""
    width = x.shape[1]
    theirs = with_weights_of(cell, lambda: nn.LSTMCell(width, cell.width))
    h, c = theirs(x, state)
    return h, c


@claim(
    "B3",
    "A gate is a sigmoid layer whose output multiplies a vector entry by entry: it lets a share "
    "between 0 and 1 of each entry through. Fully open it copies the vector, closed it erases "
    "it.",
    r"c \mapsto \sigma(a) \odot c, \qquad 0 < \sigma(a) < 1",
)
def gate_lets_a_share_through(settings: GateSettings) -> Evidence:
    """Pass a cell state through the forget gate alone: at one pre-activation, open and closed."""
    _, cell, x, state = _drawn(settings)
    hold_gate(cell, INPUT, CLOSED)

    def passed(gate_sum: float) -> torch.Tensor:
        hold_gate(cell, FORGET, gate_sum)
        return step(cell, x, state)[1][1].detach()

    share = passed(settings.gate_sum) / state[1]
    expected = 1 / (1 + torch.tensor(-settings.gate_sum, dtype=torch.float64).exp())
    shares = [float((passed(one) / state[1]).mean()) for one in SUMS]
    return Evidence(
        stated=[
            above("smallest share of an entry", share.min(), 0.0),
            below("largest share of an entry", share.max(), 1.0),
            same("difference of the shares from σ", share, expected.expand_as(share)),
            same("change by an open gate", passed(OPEN), state[1], 0.0),
            equal("largest entry after a closed gate", passed(CLOSED).abs().max(), 0.0, 0.0),
        ],
        numbers={"share that passes": float(share.mean())},
        plot=[
            Panel("Share that passes", [curve("share", SUMS, shares)], "pre-activation of the gate")
        ],
    )


@claim(
    "B4",
    "The forget gate sees the previous output and the current input, and decides which share of "
    "each entry of the cell state is kept.",
    r"f_t = \sigma(W_f [h_{t-1};\, x_t] + b_f)",
)
def forget_gate(settings: DrawnCellSettings) -> Evidence:
    """Close the input gate: what remains of the cell state is what the forget gate keeps."""
    _, cell, x, (h, c) = _drawn(settings)
    hold_gate(cell, INPUT, CLOSED)
    f = torch.sigmoid(gate_sums(cell, h, x)[FORGET])
    _, (_, after) = step(cell, x, (h, c))
    return Evidence(
        stated=[
            same("difference of the cell state from f ∘ c", after, f * c),
            same("difference of nn.LSTMCell from f ∘ c", _theirs(cell, x, (h, c))[1], f * c),
        ]
    )


@claim(
    "B5",
    "The input gate decides which share of a candidate enters the cell state. The candidate is "
    "computed by a layer of its own, with a tanh.",
    r"i_t = \sigma(W_i [h_{t-1};\, x_t] + b_i), \qquad "
    r"\tilde{c}_t = \tanh(W_c [h_{t-1};\, x_t] + b_c)",
)
def input_gate_and_candidate(settings: DrawnCellSettings) -> Evidence:
    """Erase the cell state; hold the candidate at 1 to see the gate, then the gate at 1."""
    _, cell, x, (h, c) = _drawn(settings)
    hold_gate(cell, FORGET, CLOSED)
    sums = gate_sums(cell, h, x)
    gate, candidate = torch.sigmoid(sums[INPUT]), torch.tanh(sums[CANDIDATE])
    both = step(cell, x, (h, c))[1][1]
    theirs = _theirs(cell, x, (h, c))[1]
    kept = {name: weight.clone() for name, weight in cell.state_dict().items()}
    hold_gate(cell, CANDIDATE, OPEN)
    gate_alone = step(cell, x, (h, c))[1][1]
    cell.load_state_dict(kept)
    hold_gate(cell, INPUT, OPEN)
    candidate_alone = step(cell, x, (h, c))[1][1]
    return Evidence(
        stated=[
            same("difference from i, candidate held at 1", gate_alone, gate),
            same("difference from the candidate, i held at 1", candidate_alone, candidate),
            same("difference of the new cell state from i ∘ candidate", both, gate * candidate),
            same("difference of nn.LSTMCell from i ∘ candidate", theirs, gate * candidate),
        ]
    )


@claim(
    "B6",
    "The new cell state is the old one times the forget gate, plus the candidate times the "
    "input gate. With $f_t = 1$ and $i_t = 0$ it is copied bit for bit.",
    r"c_t = f_t \odot c_{t-1} + i_t \odot \tilde{c}_t",
)
def cell_state_equation(settings: UnrolledCellSettings) -> Evidence:
    """Compare one step with the equation, and copy a cell state over many steps."""
    draw, cell, x, (h, c) = _drawn(settings)
    i, f, g, _ = gate_sums(cell, h, x)
    expected = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    after = step(cell, x, (h, c))[1][1]
    theirs = _theirs(cell, x, (h, c))[1]
    hold_gate(cell, INPUT, CLOSED)
    hold_gate(cell, FORGET, OPEN)
    state: Parts = (h, c)
    for _ in range(settings.steps):
        _, state = step(cell, draw(ROWS, settings.input_width), state)
    return Evidence(
        stated=[
            same("difference from the equation", after, expected),
            same("difference of nn.LSTMCell from the equation", theirs, expected),
            same("change of a copied cell state after all steps", state[1], c, 0.0),
        ]
    )


@claim(
    "B7",
    "The output gate decides which share of the tanh of the cell state is shown as the output.",
    r"o_t = \sigma(W_o [h_{t-1};\, x_t] + b_o), \qquad h_t = o_t \odot \tanh(c_t)",
)
def output_gate(settings: DrawnCellSettings) -> Evidence:
    """Compare the output with the gated tanh of the cell state that the cell returns."""
    _, cell, x, (h, c) = _drawn(settings)
    o = torch.sigmoid(gate_sums(cell, h, x)[OUTPUT])
    output, (_, memory) = step(cell, x, (h, c))
    theirs, their_memory = _theirs(cell, x, (h, c))
    return Evidence(
        stated=[
            same("difference of the output from o ∘ tanh(c)", output, o * torch.tanh(memory)),
            same(
                "difference of nn.LSTMCell from o ∘ tanh(c)", theirs, o * torch.tanh(their_memory)
            ),
        ]
    )
