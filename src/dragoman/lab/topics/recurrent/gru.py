"""Claims on the gated recurrent unit: its gates, its two forms and its simplified version."""

import torch
from torch import Tensor, nn

from dragoman.config.cells import GruCell, SimpleGruCell
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, apart, same
from dragoman.lab.topics.recurrent.drawn import (
    CLOSED,
    OPEN,
    DrawnCellSettings,
    RandomNumbers,
    SquareCellSettings,
    gate_sums,
    hold_gate,
    step,
    with_weights_of,
)
from dragoman.neural.layers.recurrent.cells import RecurrentCell, build_cell

RESET, UPDATE, CANDIDATE = range(3)
"""Blocks of a GRU's weights, in the order in which they are stored."""
ROWS = 3


@claim(
    "B8",
    "The reset gate of a GRU sees the input and the previous state. It controls how much of "
    "that state the candidate sees.",
    r"r_t = \sigma(W_r x_t + U_r h_{t-1})",
)
def reset_gate(settings: SquareCellSettings) -> Evidence:
    """With the candidate tanh(r h) and a full update, the new state depends on r alone."""
    draw = RandomNumbers(settings.seed)
    before = draw.cell(GruCell(reset="before"), settings.width, settings.width)
    with torch.no_grad():
        before.bias_ih.zero_()
        before.bias_hh.zero_()
        hold_gate(before, UPDATE, CLOSED)  # nothing of the old state is kept
        before.weight_ih.chunk(3)[CANDIDATE].zero_()
        before.weight_hh.chunk(3)[CANDIDATE].copy_(torch.eye(settings.width))
    after = build_cell(GruCell(), settings.width, settings.width).double()
    after.load_state_dict(before.state_dict())
    theirs = with_weights_of(before, lambda: nn.GRUCell(settings.width, settings.width))
    x, (h,) = draw(ROWS, settings.width), draw.state(before, ROWS)
    w_r, u_r = before.weight_ih.chunk(3)[RESET], before.weight_hh.chunk(3)[RESET]
    r = torch.sigmoid(x @ w_r.t() + h @ u_r.t())
    expected = torch.tanh(r * h)
    return Evidence(
        stated=[
            same("difference with the reset before the matrix", step(before, x, (h,))[0], expected),
            same("difference with the reset after the matrix", step(after, x, (h,))[0], expected),
            same("difference of nn.GRUCell from the equation", theirs(x, h), expected),
        ]
    )


def printed_gru(cell: RecurrentCell, x: Tensor, h: Tensor, seen: Tensor | None = None) -> Tensor:
    """Return h = (1 − z) h + z h̃ as papers print it, with h̃ = tanh(W x + U (r h) + b).

    In the papers z is the share of the candidate. In our cell it is the share of the old state, so
    the weights of z change their sign. `seen` replaces r h, what the candidate sees of the state.
    """
    (w_r, w_z, w), (u_r, u_z, u) = cell.weight_ih.chunk(3), cell.weight_hh.chunk(3)
    b_r, b_z, b = (cell.bias_ih + cell.bias_hh).chunk(3)
    r = torch.sigmoid(x @ w_r.t() + h @ u_r.t() + b_r)
    z = torch.sigmoid(x @ -w_z.t() + h @ -u_z.t() - b_z)
    candidate = torch.tanh(x @ w.t() + (r * h if seen is None else seen) @ u.t() + b)
    return (1 - z) * h + z * candidate


@claim(
    "B9",
    "The update gate mixes the old state with a candidate. Which of the two it multiplies is a "
    "convention: changing the sign of its weights swaps them. Whether the reset gate is applied "
    "before the candidate's matrix (Cho et al. 2014) or after it (torch) gives two different "
    "cells, and both are called GRU. (The figure with these equations is missing from the "
    "notes.)",
    r"z_t = \sigma(W_z x_t + U_z h_{t-1}), \qquad h_t = (1 - z_t) \odot h_{t-1} + z_t \odot "
    r"\tilde{h}_t, \qquad \tilde{h}_t = \tanh(W x_t + U(r_t \odot h_{t-1}))",
    notes="",
)
def update_gate_conventions(settings: DrawnCellSettings) -> Evidence:
    """Compare both of our cells with the printed equations and with torch's cell."""
    draw = RandomNumbers(settings.seed)
    before = draw.cell(GruCell(reset="before"), settings.input_width, settings.width)
    after = build_cell(GruCell(), settings.input_width, settings.width).double()
    after.load_state_dict(before.state_dict())
    theirs = with_weights_of(after, lambda: nn.GRUCell(settings.input_width, settings.width))
    x, (h,) = draw(ROWS, settings.input_width), draw.state(before, ROWS)
    one, other = step(before, x, (h,))[0], step(after, x, (h,))[0]
    return Evidence(
        conventions=[
            same(
                "difference between z on the candidate, weights negated, and z on the old state",
                printed_gru(before, x, h),
                one,
            ),
            same("difference of reset after the matrix from nn.GRUCell", other, theirs(x, h)),
            apart("difference between reset before and after the matrix", one, other, 1e-6),
        ],
        numbers={"difference between the two forms": float((one - other).detach().abs().max())},
    )


@claim(
    "E102",
    "The simplest gated unit has one gate: it replaces a share of each entry of the state by a "
    "candidate and keeps the rest. A closed gate copies the state, and the Jacobian is the "
    "identity.",
    r"\tilde{m}_t = \tanh(W_c [m_{t-1};\, x_t] + b_c), \quad "
    r"\Gamma_u = \sigma(W_u [m_{t-1};\, x_t] + b_u), \quad "
    r"m_t = \Gamma_u \odot \tilde{m}_t + (1 - \Gamma_u) \odot m_{t-1}",
)
def simple_gru(settings: DrawnCellSettings) -> Evidence:
    """Compare the cell and its Jacobian with the equation; then close the gate."""
    draw = RandomNumbers(settings.seed)
    cell = draw.cell(SimpleGruCell(), settings.input_width, settings.width)
    x, (m,) = draw(1, settings.input_width), draw.state(cell)
    sums = gate_sums(cell, m, x)
    gate, new = torch.sigmoid(sums[0]), torch.tanh(sums[1])

    def jacobian() -> Tensor:
        def after(one: Tensor) -> Tensor:
            return step(cell, x, (one.unsqueeze(0),))[0][0]

        found: Tensor = torch.autograd.functional.jacobian(after, m[0])
        return found

    w_u, w_c = cell.weight_hh.chunk(2)
    by_hand = (
        torch.diag((1 - gate)[0])
        + torch.diag((gate * (1 - gate) * (new - m))[0]) @ w_u
        + torch.diag((gate * (1 - new**2))[0]) @ w_c
    )
    output, autograd = step(cell, x, (m,))[0], jacobian()
    hold_gate(cell, 0, CLOSED)
    return Evidence(
        stated=[
            same("difference from the equation", output, gate * new + (1 - gate) * m),
            same("difference of autograd's Jacobian from the closed form", autograd, by_hand),
            same("change of the state with a closed gate", step(cell, x, (m,))[0], m, 0.0),
            same(
                "difference of its Jacobian from the identity",
                jacobian(),
                torch.eye(settings.width),
                0.0,
            ),
        ]
    )


@claim(
    "E105",
    "The full GRU has a second gate, for relevance: the candidate sees only the share of the "
    "state that this gate lets through.",
    r"\tilde{m}_t = \tanh(W_c [\Gamma_r \odot m_{t-1};\, x_t] + b_c)",
    notes=r"the candidate sees $h_{t-1} \odot m_{t-1}$, which in a GRU is the square of the "
    "state.",
)
def relevance_gate(settings: DrawnCellSettings) -> Evidence:
    """Compare our cell with both equations, and with torch's where the gate is held open."""
    draw = RandomNumbers(settings.seed)
    cell = draw.cell(GruCell(reset="before"), settings.input_width, settings.width)
    x, (m,) = draw(ROWS, settings.input_width), draw.state(cell, ROWS)
    output = step(cell, x, (m,))[0]
    printed, mended = printed_gru(cell, x, m, seen=m * m), printed_gru(cell, x, m)
    hold_gate(cell, RESET, OPEN)
    theirs = with_weights_of(cell, lambda: nn.GRUCell(settings.input_width, settings.width))
    held, wanted = step(cell, x, (m,))[0], theirs(x, m)
    opened = same("difference from nn.GRUCell, the gate held open", held, wanted)
    return Evidence(
        stated=[same("difference from a candidate that sees h ∘ m", output, printed), opened],
        corrected=[same("difference from a candidate that sees Γ_r ∘ m", output, mended), opened],
    )
