"""Stacks of recurrent layers: kernels, loops and torch's own layers say the same."""

from itertools import pairwise

import pytest
import torch
from torch import nn

from dragoman.config.cells import GruCell, LstmCell, RnnCell, SimpleGruCell
from dragoman.core.errors import ConfigError
from dragoman.neural.layers.recurrent.reading import read_by_loop
from dragoman.neural.layers.recurrent.stack import RecurrentStack
from dragoman.neural.layers.recurrent.state import RecurrentState

ROWS, LONGEST, INPUT, WIDTH = 4, 7, 3, 5
LENGTHS = torch.tensor([7, 1, 4, 6])

WITH_KERNEL = [RnnCell(), RnnCell(activation="relu"), GruCell(), LstmCell()]
WITHOUT = [
    RnnCell(activation="sigmoid"),
    RnnCell(state="before"),
    GruCell(reset="before"),
    SimpleGruCell(),
    LstmCell(forget_gate=False),
    LstmCell(output_tanh=False),
]
each_cell = pytest.mark.parametrize("cell", WITH_KERNEL + WITHOUT, ids=str)
each_kernel = pytest.mark.parametrize("cell", WITH_KERNEL, ids=str)
both_ways = pytest.mark.parametrize("bidirectional", [False, True], ids=["onward", "both ways"])


def stack_of(cell, layers=2, *, dtype=torch.float64, **habits):
    torch.manual_seed(3)
    stack = RecurrentStack(cell, INPUT, WIDTH, layers, **habits).to(dtype)
    for weight in stack.parameters():  # biases too: zeros would hide a mistake
        nn.init.normal_(weight, std=0.4)
    return stack


def rows(count=LONGEST, dtype=torch.float64):
    torch.manual_seed(4)
    return torch.randn(ROWS, count, INPUT, dtype=dtype)


def first_state(stack):
    torch.manual_seed(5)
    return RecurrentState(tuple(torch.randn_like(part) for part in stack.begin(ROWS).parts))


def results(stack, x, lengths=LENGTHS, state=None, truncate=None):
    """Return outputs, last state and the gradient of every weight, the input and the beginning."""
    x = x.clone().requires_grad_()
    parts = () if state is None else tuple(p.clone().requires_grad_() for p in state.parts)
    outputs, after = stack(x, lengths, RecurrentState(parts) if parts else None, truncate=truncate)
    loss = sum(each.sin().sum() for each in (outputs, *after.parts))
    wanted = {**dict(stack.named_parameters()), "x": x}
    wanted |= {f"state {number}": part for number, part in enumerate(parts)}
    slopes = torch.autograd.grad(loss, list(wanted.values()))
    return outputs, after.parts, dict(zip(wanted, slopes, strict=True))


# The kernel, the loop, torch


@each_kernel
@both_ways
@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("padded", [False, True], ids=["full", "padded"])
@pytest.mark.parametrize("given", [False, True], ids=["from zeros", "from a state"])
def test_kernel_and_written_out_loop_agree(cell, bidirectional, layers, padded, given):
    stack = stack_of(cell, layers, bidirectional=bidirectional)
    lengths, state = LENGTHS if padded else None, first_state(stack) if given else None
    by_kernel = results(stack, rows(), lengths, state)
    stack.read = read_by_loop
    torch.testing.assert_close(by_kernel, results(stack, rows(), lengths, state))


@each_kernel
@both_ways
def test_kernel_and_loop_agree_in_single_precision(cell, bidirectional):
    stack = stack_of(cell, bidirectional=bidirectional, dtype=torch.float32)
    x = rows(dtype=torch.float32)
    by_kernel = results(stack, x)
    stack.read = read_by_loop
    torch.testing.assert_close(by_kernel, results(stack, x), atol=1e-5, rtol=1e-4)


def theirs_with_our_weights(stack, cell):
    kind = {"rnn": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}[cell.kind]
    habits = {"nonlinearity": cell.activation} if cell.kind == "rnn" else {}
    theirs = kind(
        INPUT,
        WIDTH,
        num_layers=stack.layers,
        bidirectional=stack.directions == 2,
        batch_first=True,
        **habits,
    ).double()
    named = {}
    for number, one in enumerate(stack.cells):
        layer, backward = divmod(number, stack.directions)
        end = f"_l{layer}" + ("_reverse" if backward else "")
        named |= {name + end: weight for name, weight in one.named_parameters()}
    theirs.load_state_dict(named)
    return theirs


@each_kernel
@both_ways
def test_torch_with_our_weights_reads_packed_rows_as_we_do(cell, bidirectional):
    stack = stack_of(cell, 3, bidirectional=bidirectional)
    theirs = theirs_with_our_weights(stack, cell)
    state = first_state(stack)
    packed = nn.utils.rnn.pack_padded_sequence(
        rows(), LENGTHS, batch_first=True, enforce_sorted=False
    )
    given = state.parts if len(state.parts) == 2 else state.parts[0]
    wanted, last = theirs(packed, given)
    wanted, _ = nn.utils.rnn.pad_packed_sequence(wanted, batch_first=True)
    outputs, after = stack(rows(), LENGTHS, state)
    torch.testing.assert_close(outputs, wanted)
    torch.testing.assert_close(after.parts, last if len(state.parts) == 2 else (last,))


@pytest.mark.parametrize("cell", WITHOUT, ids=str)
@both_ways
def test_the_gradient_without_a_kernel_is_the_slope(cell, bidirectional):
    stack = stack_of(cell, 2, bidirectional=bidirectional, residual=True)
    inputs = (rows(3).requires_grad_(), *(p.requires_grad_() for p in first_state(stack).parts))
    lengths = torch.tensor([3, 1, 2, 3])

    def read(x, *parts):
        outputs, after = stack(x, lengths, RecurrentState(parts))
        return outputs, *after.parts

    assert torch.autograd.gradcheck(read, inputs, fast_mode=True)
    weights = tuple(stack.parameters())
    whole = lambda *_: stack(rows(3), lengths)[0]  # noqa: E731
    assert torch.autograd.gradcheck(whole, weights, fast_mode=True)


# Padding


@each_cell
@both_ways
def test_padding_changes_nothing(cell, bidirectional):
    stack = stack_of(cell, bidirectional=bidirectional, residual=True)
    state = first_state(stack)
    outputs, after = stack(rows(), LENGTHS, state)
    for row, length in enumerate(LENGTHS):
        own = state.rows(torch.tensor([row]))
        alone, last = stack(rows()[row : row + 1, :length], None, own)
        torch.testing.assert_close(outputs[row : row + 1, :length], alone)
        torch.testing.assert_close(after.rows(torch.tensor([row])).parts, last.parts)
        assert not outputs[row, length:].any()


@each_cell
@both_ways
def test_what_stands_in_the_padding_changes_no_bit(cell, bidirectional):
    stack = stack_of(cell, bidirectional=bidirectional)
    other = rows()
    for row, length in enumerate(LENGTHS):
        other[row, length:] = 9.0
    found, wanted = results(stack, other), results(stack, rows())
    assert torch.equal(found[0], wanted[0])
    assert all(torch.equal(a, b) for a, b in zip(found[1], wanted[1], strict=True))
    torch.testing.assert_close(found[2], wanted[2])


@each_cell
def test_long_padding_leaves_the_gradient_finite(cell):
    stack = stack_of(cell, dtype=torch.float32)
    with torch.no_grad():
        for one in stack.cells:
            one.weight_hh.mul_(4)
    x = rows(120, torch.float32)
    found = results(stack, x, torch.tensor([2, 1, 2, 2]))
    wanted = results(stack, x[:, :2], torch.tensor([2, 1, 2, 2]))
    torch.testing.assert_close(found[0][:, :2], wanted[0])
    slopes = {**found[2], "x": found[2]["x"][:, :2]}
    scale = max(slope.abs().max() for slope in wanted[2].values())
    torch.testing.assert_close(slopes, wanted[2], atol=1e-4 * float(scale), rtol=1e-3)


@each_cell
def test_a_row_without_a_position_keeps_its_state(cell):
    stack = stack_of(cell)
    state = first_state(stack)
    _, after = stack(rows(), torch.tensor([0, 7, 0, 3]), state)
    for row in (0, 2):
        for part, was in zip(after.parts, state.parts, strict=True):
            assert torch.equal(part[:, row], was[:, row])


# Directions, layers, states


@both_ways
def test_a_layer_above_reads_the_outputs_below(bidirectional):
    whole = stack_of(GruCell(), 3, bidirectional=bidirectional)
    x, states = rows(), []
    for layer, (first, last) in enumerate(
        pairwise(range(0, len(whole.cells) + 1, whole.directions))
    ):
        width = INPUT if layer == 0 else whole.output_width
        one = RecurrentStack(GruCell(), width, WIDTH, 1, bidirectional=bidirectional).double()
        for own, given in zip(one.cells, whole.cells[first:last], strict=True):
            own.load_state_dict(given.state_dict())
        x, state = one(x, LENGTHS)
        states.append(state.hidden)
    outputs, state = whole(rows(), LENGTHS)
    torch.testing.assert_close(outputs, x)
    torch.testing.assert_close(state.hidden, torch.cat(states))


def test_residual_connections_begin_at_the_second_layer():
    plain, residual = stack_of(GruCell(), 1), stack_of(GruCell(), 1, residual=True)
    assert torch.equal(plain(rows())[0], residual(rows())[0])
    two = stack_of(GruCell(), 2, residual=True)
    with torch.no_grad():
        for weight in two.cells[1].parameters():
            weight.zero_()  # the second layer says nothing, so what it was given comes out
    alone = stack_of(GruCell(), 1)
    alone.cells[0].load_state_dict(two.cells[0].state_dict())
    torch.testing.assert_close(two(rows())[0], alone(rows())[0])


def test_the_two_directions_are_read_apart():
    stack = stack_of(LstmCell(), 1, bidirectional=True)
    onward, backward = (RecurrentStack(LstmCell(), INPUT, WIDTH, 1).double() for _ in range(2))
    onward.cells[0].load_state_dict(stack.cells[0].state_dict())
    backward.cells[0].load_state_dict(stack.cells[1].state_dict())
    outputs, state = stack(rows())
    turned, last = backward(rows().flip(1))
    torch.testing.assert_close(outputs[..., :WIDTH], onward(rows())[0])
    torch.testing.assert_close(outputs[..., WIDTH:], turned.flip(1))
    torch.testing.assert_close(state.hidden[1], last.hidden[0])


@each_cell
def test_step_by_step_equals_all_at_once(cell):
    stack = stack_of(cell, 3, residual=True)
    state = begun = first_state(stack)
    found = []
    for x in rows().unbind(1):
        output, state = stack.step(x, state)
        found.append(output)
    wanted, last = stack(rows(), None, begun)
    torch.testing.assert_close(torch.stack(found, 1), wanted)
    torch.testing.assert_close(state.parts, last.parts)


@each_cell
def test_reading_on_from_a_state_equals_reading_at_once(cell):
    stack = stack_of(cell)
    wanted, last = stack(rows())
    early, state = stack(rows()[:, :3])
    late, state = stack(rows()[:, 3:], None, state)
    torch.testing.assert_close(torch.cat((early, late), 1), wanted)
    torch.testing.assert_close(state.parts, last.parts)


def test_two_directions_cannot_go_step_by_step():
    stack = stack_of(GruCell(), bidirectional=True)
    with pytest.raises(ConfigError, match="both ways"):
        stack.step(rows()[:, 0], stack.begin(ROWS))


def test_rows_of_a_state_may_be_turned_repeated_and_dropped():
    stack = stack_of(LstmCell())
    state = first_state(stack)
    kept = [part.clone() for part in state.parts]
    index = torch.tensor([2, 2, 0])
    for part, was in zip(state.rows(index).parts, kept, strict=True):
        assert torch.equal(part, was[:, [2, 2, 0]])
    assert all(torch.equal(part, was) for part, was in zip(state.parts, kept, strict=True))


# Truncation


@each_cell
@pytest.mark.parametrize("steps", [1, 3])
def test_cutting_the_gradient_changes_no_output(cell, steps):
    stack = stack_of(cell)
    state = first_state(stack)
    whole, last = stack(rows(), LENGTHS, state)
    cut, after = stack(rows(), LENGTHS, state, truncate=steps)
    torch.testing.assert_close(cut, whole, atol=1e-14, rtol=1e-14)  # kernels may round otherwise
    torch.testing.assert_close(after.parts, last.parts, atol=1e-14, rtol=1e-14)
    stack.read = read_by_loop
    whole, last = stack(rows(), LENGTHS, state)
    cut, after = stack(rows(), LENGTHS, state, truncate=steps)
    assert torch.equal(cut, whole)
    assert all(torch.equal(a, b) for a, b in zip(after.parts, last.parts, strict=True))


@each_cell
@both_ways
def test_a_cut_beyond_the_end_cuts_nothing(cell, bidirectional):
    stack = stack_of(cell, bidirectional=bidirectional)
    state = first_state(stack)
    whole = results(stack, rows(), LENGTHS, state)
    torch.testing.assert_close(results(stack, rows(), LENGTHS, state, truncate=LONGEST), whole)


@each_cell
@pytest.mark.parametrize("steps", [1, 3])
def test_nothing_before_the_cut_has_influence(cell, steps):
    stack = stack_of(cell)
    x = rows().requires_grad_()
    outputs, _ = stack(x, truncate=steps)
    for position in range(LONGEST):
        (slope,) = torch.autograd.grad(outputs[:, position].sum(), x, retain_graph=True)
        begun = position // steps * steps
        assert not slope[:, :begun].any()
        assert slope[:, position].any()
        if begun < position:
            assert slope[:, begun].any()
        assert not slope[:, position + 1 :].any()


@each_cell
def test_the_cut_gradient_is_that_of_segments_read_one_by_one(cell):
    stack = stack_of(cell)
    found = results(stack, rows(), None, truncate=3)[2]
    x, state, outputs = rows().requires_grad_(), None, []
    for first in range(0, LONGEST, 3):
        output, state = stack(x[:, first : first + 3], None, state and state.detached())
        outputs.append(output)
    loss = sum(each.sin().sum() for each in (*outputs, *state.parts))
    slopes = torch.autograd.grad(loss, [*stack.parameters(), x])
    torch.testing.assert_close(list(found.values()), list(slopes))


# Chance, sizes, devices


def test_dropout_lies_between_layers_only_and_only_in_training():
    one, two, x = stack_of(GruCell(), 1, dropout=0.5), stack_of(GruCell(), 2, dropout=0.5), rows()
    assert torch.equal(one(x)[0], one(x)[0])
    assert not torch.equal(two(x)[0], two(x)[0])
    two.eval()
    assert torch.equal(two(x)[0], two(x)[0])
    assert torch.equal(two(x)[0], stack_of(GruCell(), 2)(x)[0])


@each_cell
@both_ways
def test_it_runs_without_memory_on_the_meta_device(cell, bidirectional):
    with torch.device("meta"):
        stack = RecurrentStack(cell, INPUT, WIDTH, 2, bidirectional=bidirectional)
        outputs, state = stack(torch.ones(2, 6, INPUT), torch.ones(2, dtype=torch.long))
    assert outputs.is_meta
    assert outputs.shape == (2, 6, stack.output_width)
    assert state.hidden.shape == (2 * stack.directions, 2, WIDTH)


@each_cell
def test_every_weight_gets_a_gradient(cell):
    stack = stack_of(cell, bidirectional=True)
    for name, slope in results(stack, rows())[2].items():
        assert slope.any(), name
