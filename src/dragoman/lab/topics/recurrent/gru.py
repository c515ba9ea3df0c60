"""Claims on the gated recurrent unit: its gates, its two forms and its simpler relative."""

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
"""Blocks of the weights of a GRU, in the order in which they lie."""
ROWS = 3


@claim(
    "B8",
    "The reset gate of a GRU sees the input and the last state; it says how much of that state the "
    "candidate may see.",
    r"r_t = \sigma(W_r x_t + U_r h_{t-1})",
)
def reset_gate(settings: SquareCellSettings) -> Evidence:
    """Make the candidate tanh(r h) and the update complete: the new state shows r alone."""
    draw = RandomNumbers(settings.seed)
    before = draw.cell(GruCell(reset="before"), settings.width, settings.width)
    with torch.no_grad():
        before.bias_ih.zero_()
        before.bias_hh.zero_()
        hold_gate(before, UPDATE, CLOSED)  # none of the old state stays
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
            same("difference, reset before the matrix", step(before, x, (h,))[0], expected),
            same("difference, reset after the matrix", step(after, x, (h,))[0], expected),
            same("difference of nn.GRUCell", theirs(x, h), expected),
        ]
    )


def printed_gru(cell: RecurrentCell, x: Tensor, h: Tensor, seen: Tensor | None = None) -> Tensor:
    """Return h = (1 − z) h + z h̃ as papers print it, with h̃ = tanh(W x + U (r h) + b).

    The z of the papers is the share that is new. Ours is the share that stays, so the weights of z
    are taken with the other sign. What the candidate is to see of the state may be given.
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
    "matter of taste: changing the sign of its weights swaps them. Whether the reset acts before "
    "the candidate's matrix (Cho et al. 2014) or after it (torch) makes two different cells, each "
    "as much a GRU as the other.",
    r"z_t = \sigma(W_z x_t + U_z h_{t-1}), \qquad h_t = (1 - z_t) \odot h_{t-1} + z_t \odot "
    r"\tilde{h}_t, \qquad \tilde{h}_t = \tanh(W x_t + U(r_t \odot h_{t-1}))",
    notes="$z_t$ is the update gate; how it is used stood in a figure that is lost",
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
                "z for the new, its weights negated, minus z for the old",
                printed_gru(before, x, h),
                one,
            ),
            same("reset after the matrix minus nn.GRUCell", other, theirs(x, h)),
            apart("how far reset before and after the matrix are apart", one, other, 1e-6),
        ],
        numbers={"largest gap of the two forms": float((one - other).detach().abs().max())},
    )


@claim(
    "E102",
    "The simplest gated unit has one gate: it replaces a share of each component of the state by a "
    "candidate and keeps the rest. A shut gate copies the state, and the derivative with it.",
    r"\tilde{m}_t = \tanh(W_c [m_{t-1};\, x_t] + b_c), \quad "
    r"\Gamma_u = \sigma(W_u [m_{t-1};\, x_t] + b_u), \quad "
    r"m_t = \Gamma_u \odot \tilde{m}_t + (1 - \Gamma_u) \odot m_{t-1}",
)
def simple_gru(settings: DrawnCellSettings) -> Evidence:
    """Compare the cell and its Jacobian with the equation; then shut the gate."""
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
    output, slope = step(cell, x, (m,))[0], jacobian()
    hold_gate(cell, 0, CLOSED)
    return Evidence(
        stated=[
            same("difference from the equation", output, gate * new + (1 - gate) * m),
            same("difference of the Jacobian from that by hand", slope, by_hand),
            same("difference of the state behind a shut gate", step(cell, x, (m,))[0], m, 0.0),
            same("difference of its Jacobian from 1", jacobian(), torch.eye(settings.width), 0.0),
        ]
    )


@claim(
    "E105",
    "The full GRU has a second gate, for relevance: the candidate sees only the share of the state "
    "that this gate lets through.",
    r"\tilde{m}_t = \tanh(W_c [\Gamma_r \odot m_{t-1};\, x_t] + b_c)",
    notes=r"the candidate sees $h_{t-1} \odot m_{t-1}$, which in a GRU is the square of the state",
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
        stated=[same("difference from h m in the candidate", output, printed), opened],
        corrected=[same("difference from Γ m in the candidate", output, mended), opened],
    )
