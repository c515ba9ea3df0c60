"""One position of each cell: against torch's own cells, and against what is known of each."""

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


def test_two_matrices_side_by_side_give_the_same_sum():
    cell = cell_of(RnnCell())
    (h,), x = beginning(cell), numbers(ROWS, INPUT)
    whole = torch.cat((cell.weight_hh, cell.weight_ih), dim=1)
    wanted = torch.tanh(torch.cat((h, x), dim=1) @ whole.t() + cell.bias_ih + cell.bias_hh)
    torch.testing.assert_close(cell.step(cell.project(x), (h,))[0], wanted)


# Gates


def test_resetting_before_the_matrix_is_the_equation_of_the_paper():
    cell = cell_of(GruCell(reset="before"))
    (h,), x = beginning(cell), numbers(ROWS, INPUT)
    (ur, uz, un), (wr, wz, wn) = cell.weight_ih.chunk(3), cell.weight_hh.chunk(3)
    br, bz, bn = (cell.bias_ih + cell.bias_hh).chunk(3)
    r = torch.sigmoid(x @ ur.t() + h @ wr.t() + br)
    # the paper's update gate is the share of the new state: weights of the other sign
    z = torch.sigmoid(-(x @ uz.t()) - h @ wz.t() - bz)
    new = torch.tanh(x @ un.t() + (r * h) @ wn.t() + bn)
    torch.testing.assert_close(cell.step(cell.project(x), (h,))[0], (1 - z) * h + z * new)


def test_resetting_before_and_after_the_matrix_differ():
    before, after = cell_of(GruCell(reset="before")), cell_of(GruCell())
    after.load_state_dict(before.state_dict())
    state, x = beginning(before), numbers(ROWS, INPUT)
    gap = before.step(before.project(x), state)[0] - after.step(after.project(x), state)[0]
    assert gap.abs().max() > 1e-3


def test_without_reset_both_gru_cells_agree():
    before, after = cell_of(GruCell(reset="before")), cell_of(GruCell())
    set_gate(before, 0, 1e4)
    after.load_state_dict(before.state_dict())
    state, x = beginning(before), numbers(ROWS, INPUT)
    torch.testing.assert_close(
        before.step(before.project(x), state), after.step(after.project(x), state)
    )


def test_the_update_gate_alone_is_its_equation():
    cell = cell_of(SimpleGruCell())
    (m,), x = beginning(cell), numbers(ROWS, INPUT)
    whole = torch.cat((cell.weight_hh, cell.weight_ih), dim=1)
    sums = torch.cat((m, x), dim=1) @ whole.t() + cell.bias_ih + cell.bias_hh
    gate, new = torch.sigmoid(sums[:, :WIDTH]), torch.tanh(sums[:, WIDTH:])
    wanted = gate * new + (1 - gate) * m
    torch.testing.assert_close(cell.step(cell.project(x), (m,))[0], wanted)


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


def test_an_open_forget_gate_and_a_shut_input_gate_copy_the_memory():
    cell = cell_of(LstmCell())
    set_gate(cell, 0, -1e4)
    set_gate(cell, 1, 1e4)
    h, c = beginning(cell)
    for _ in range(3):
        _, (h, after) = cell.step(cell.project(numbers(ROWS, INPUT)), (h, c))
        assert torch.equal(after, c)


def test_a_shut_forget_gate_erases_the_memory():
    cell = cell_of(LstmCell())
    set_gate(cell, 0, -1e4)
    set_gate(cell, 1, -1e4)
    _, (_, c) = cell.step(cell.project(numbers(ROWS, INPUT)), beginning(cell))
    assert not c.any()


def test_the_forget_gate_lets_a_share_of_the_memory_through():
    cell = cell_of(LstmCell())
    set_gate(cell, 0, -1e4)
    h, c = beginning(cell, 40)
    _, (_, after) = cell.step(cell.project(numbers(40, INPUT)), (h, c))
    assert (after / c).gt(0).all()
    assert (after / c).lt(1).all()


def test_without_a_forget_gate_the_memory_is_only_added_to():
    plain, gated = cell_of(LstmCell(forget_gate=False)), cell_of(LstmCell())
    set_gate(gated, 1, 1e4)
    names = [name for name, _ in plain.named_parameters()]
    with torch.no_grad():
        for name in names:  # i, g, o are i, f, g, o without f
            i, _, g, o = gated.get_parameter(name).chunk(4)
            plain.get_parameter(name).copy_(torch.cat((i, g, o)))
    state, x = beginning(plain), numbers(ROWS, INPUT)
    torch.testing.assert_close(
        plain.step(plain.project(x), state), gated.step(gated.project(x), state)
    )


def test_without_the_last_tanh_the_output_has_no_bound():
    bent, straight = cell_of(LstmCell()), cell_of(LstmCell(output_tanh=False))
    straight.load_state_dict(bent.state_dict())
    state = (beginning(bent)[0], torch.full((ROWS, WIDTH), 50.0, dtype=torch.float64))
    projected = bent.project(numbers(ROWS, INPUT))
    h, (_, c) = bent.step(projected, state)
    unbound, (_, same) = straight.step(projected, state)
    assert torch.equal(c, same)
    assert h.abs().max() < 1
    assert unbound.abs().max() > 1
    torch.testing.assert_close(unbound * torch.tanh(c), h * c)


# Sizes and first weights


def test_a_gru_has_three_quarters_of_the_weights_of_an_lstm():
    gru, lstm = (
        sum(weight.numel() for weight in build_cell(settings, 7, 11).parameters())
        for settings in (GruCell(), LstmCell())
    )
    assert gru * 4 == lstm * 3
    assert lstm == 4 * (11 * (7 + 11) + 2 * 11)


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
