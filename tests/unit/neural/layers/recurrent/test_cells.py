"""One position of each cell: against torch's own cells, and against what is known of each.

The equations themselves, gate by gate, are claims of the lab (topic recurrent).
"""

import pytest
import torch
from pydantic import TypeAdapter, ValidationError
from torch import nn

from dragoman.config.cells import CellSettings, GruCell, LstmCell, RnnCell, SimpleGruCell
from dragoman.neural.layers.recurrent.cells import build_cell
from dragoman.neural.layers.recurrent.initialize import initialize_cells

WIDTH, INPUT, ROWS = 5, 4, 3

ALL = [
    RnnCell(),
    RnnCell(activation="relu"),
    RnnCell(activation="sigmoid"),
    RnnCell(state="before"),
    RnnCell(state="before", activation="sigmoid"),
    GruCell(),
    GruCell(reset="before"),
    SimpleGruCell(),
    LstmCell(),
    LstmCell(forget_gate=False),
    LstmCell(output_tanh=False),
    LstmCell(forget_gate=False, output_tanh=False),
]
each_cell = pytest.mark.parametrize("settings", ALL, ids=str)


def cell_of(settings, width=WIDTH, inputs=INPUT):
    torch.manual_seed(1)
    cell = build_cell(settings, inputs, width).double()
    for weight in cell.parameters():  # biases too: zeros would hide a mistake
        nn.init.normal_(weight, std=0.5)
    return cell


def numbers(*shape):
    return torch.randn(*shape, dtype=torch.float64)


def beginning(cell, rows=ROWS):
    torch.manual_seed(2)
    return tuple(numbers(rows, cell.width) for _ in range(cell.parts))


@torch.no_grad()
def set_gate(cell, number, value):
    """Set the sum behind one gate to a number, whatever the input and the state."""
    for weight in (cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh):
        weight.chunk(cell.gates)[number].zero_()
    cell.bias_ih.chunk(cell.gates)[number].fill_(value)


# Settings


def test_the_name_of_a_cell_stands_for_its_usual_form():
    cells = TypeAdapter(CellSettings)
    assert cells.validate_python("gru") == GruCell()
    assert cells.validate_python("gru-update") == SimpleGruCell()
    table = {"kind": "lstm", "forget_gate": False}
    assert cells.validate_python(table) == LstmCell(forget_gate=False)
    assert cells.validate_python(RnnCell(state="before")) == RnnCell(state="before")


@pytest.mark.parametrize("wrong", ["lstn", {"kind": "gru", "forget_gate": True}, 3, {}])
def test_a_cell_that_does_not_exist_is_refused(wrong):
    with pytest.raises(ValidationError):
        TypeAdapter(CellSettings).validate_python(wrong)


# Against torch


@pytest.mark.parametrize(
    ("settings", "theirs"),
    [
        (RnnCell(), nn.RNNCell(INPUT, WIDTH)),
        (RnnCell(activation="relu"), nn.RNNCell(INPUT, WIDTH, nonlinearity="relu")),
        (GruCell(), nn.GRUCell(INPUT, WIDTH)),
        (LstmCell(), nn.LSTMCell(INPUT, WIDTH)),
    ],
    ids=["rnn tanh", "rnn relu", "gru", "lstm"],
)
def test_torch_with_our_weights_steps_as_we_do(settings, theirs):
    cell = cell_of(settings)
    theirs = theirs.double()
    theirs.load_state_dict(cell.state_dict())
    state, x = beginning(cell), numbers(ROWS, INPUT)
    output, after = cell.step(cell.project(x), state)
    wanted = theirs(x, state if cell.parts == 2 else state[0])
    torch.testing.assert_close(after, wanted if cell.parts == 2 else (wanted,))
    torch.testing.assert_close(output, after[0])


@each_cell
def test_the_gradient_of_two_steps_is_the_slope(settings):
    cell = cell_of(settings)
    weights = dict(cell.named_parameters())

    def two_steps(first, second, *rest):
        state = rest[: cell.parts]
        named = dict(zip(weights, rest[cell.parts :], strict=True))

        def call(x, state):
            return torch.func.functional_call(Stepping(cell), with_prefix(named), (x, state))

        one, state = call(first, state)
        two, state = call(second, state)
        return one, two, *state

    inputs = (numbers(2, INPUT), numbers(2, INPUT), *beginning(cell, 2), *weights.values())
    inputs = tuple(each.detach().requires_grad_() for each in inputs)
    assert torch.autograd.gradcheck(two_steps, inputs, fast_mode=True)


class Stepping(nn.Module):
    """A cell whose whole step is one call."""

    def __init__(self, cell):
        super().__init__()
        self.cell = cell

    def forward(self, x, state):
        return self.cell.step(self.cell.project(x), state)


def with_prefix(named):
    return {f"cell.{name}": weight for name, weight in named.items()}


@each_cell
def test_a_step_changes_nothing_in_place(settings):
    cell = cell_of(settings)
    state, projected = beginning(cell), cell.project(numbers(ROWS, INPUT))
    before = tuple(part.clone() for part in state), projected.clone()
    cell.step(projected, state)
    assert torch.equal(projected, before[1])
    assert all(torch.equal(part, was) for part, was in zip(state, before[0], strict=True))


# The plain cell


@pytest.mark.parametrize("activation", ["tanh", "relu", "sigmoid"])
def test_the_state_before_activation_is_a_change_of_variables(activation):
    before = cell_of(RnnCell(activation=activation, state="before"))
    after = cell_of(RnnCell(activation=activation))
    after.load_state_dict(before.state_dict())
    bend = {"tanh": torch.tanh, "relu": torch.relu, "sigmoid": torch.sigmoid}[activation]
    (h,) = beginning(before)
    s = bend(h)
    for _ in range(4):
        projected = before.project(numbers(ROWS, INPUT))
        output, (h,) = before.step(projected, (h,))
        wanted, (s,) = after.step(projected, (s,))
        torch.testing.assert_close(output, wanted)
        torch.testing.assert_close(bend(h), s)


# Gates


@pytest.mark.parametrize("settings", [GruCell(), GruCell(reset="before"), SimpleGruCell()], ids=str)
def test_gates_lie_between_shut_and_open(settings):
    cell = cell_of(settings)
    (h,), x = beginning(cell, 40), numbers(40, INPUT)
    after, _ = cell.step(cell.project(x), (h,))
    number = 0 if cell.gates == 2 else 1
    set_gate(cell, number, 1e4 if cell.gates == 2 else -1e4)  # now all of the state is new
    new, _ = cell.step(cell.project(x), (h,))
    share = (after - h) / (new - h)
    assert share.gt(0).all()
    assert share.lt(1).all()


# Sizes and first weights


@each_cell
def test_the_first_recurrent_matrices_keep_lengths(settings):
    torch.manual_seed(1)
    cell = build_cell(settings, INPUT, WIDTH).double()
    initialize_cells(cell)
    for block in cell.weight_hh.chunk(cell.gates):
        torch.testing.assert_close(block @ block.t(), torch.eye(WIDTH, dtype=torch.float64))
    bound = (6 / (INPUT + WIDTH)) ** 0.5
    assert cell.weight_ih.abs().max() <= bound
    assert cell.weight_ih.abs().max() > bound / 2


@each_cell
def test_the_first_biases_are_zero_but_for_the_forget_gate(settings):
    cell = build_cell(settings, INPUT, WIDTH)
    initialize_cells(cell)
    wanted = torch.zeros(cell.gates * WIDTH)
    if settings.kind == "lstm" and settings.forget_gate:
        wanted[WIDTH : 2 * WIDTH] = 1.0
    assert torch.equal(cell.bias_ih, wanted)
    assert not cell.bias_hh.any()
