"""Looks whose gradients are taken together, against looks that autograd takes one by one."""

import pytest
import torch

from dragoman.neural.layers.alignment import AdditiveAlignment, ProductAlignment
from dragoman.neural.layers.recurrent.state import RecurrentState
from dragoman.neural.models.recurrent.attention_trace import AttentionTrace
from dragoman.neural.models.recurrent.decoder import EncodedSource
from dragoman.neural.models.recurrent.late import LateRows

WIDTH, READ, LOOKS = 4, 6, 3
MASK = torch.tensor([[True, True, True], [True, False, False]])


def alignment(kind):
    torch.manual_seed(2)
    if kind == "additive":
        return AdditiveAlignment(WIDTH, READ, 5).double()
    read = WIDTH if kind == "dot" else READ
    return ProductAlignment(WIDTH, read, matrix=kind == "general").double()


def leaves(kind):
    read = WIDTH if kind == "dot" else READ
    outputs = torch.randn(2, 3, read, dtype=torch.float64, requires_grad=True)
    states = torch.randn(LOOKS, 2, WIDTH, dtype=torch.float64, requires_grad=True)
    return outputs, states


def one_by_one(attention, outputs, states):
    """Each look also takes something of the context before it, as a decoder does."""
    keys, before, contexts = attention.project_keys(outputs), 0.0, []
    for s in states:
        context, _ = attention((s + before).unsqueeze(1), keys, outputs, MASK)
        contexts.append(context.squeeze(1))
        before = contexts[-1][:, :WIDTH]
    return torch.stack(contexts)


def together(attention, outputs, states, count=LOOKS):
    looking = AttentionTrace(attention, EncodedSource(outputs, RecurrentState(()), MASK), count)
    before, contexts = 0.0, []
    for s in states:
        contexts.append(looking.attend(s + before))
        before = contexts[-1][:, :WIDTH]
    return torch.stack(contexts)


@pytest.mark.parametrize("count", [LOOKS, LOOKS + 2])
@pytest.mark.parametrize("kind", ["additive", "dot", "general"])
def test_looks_and_their_gradients_are_those_of_single_looks(kind, count):
    attention, (outputs, states) = alignment(kind), leaves(kind)
    wanted = one_by_one(attention, outputs, states)
    found = together(attention, outputs, states, count)
    torch.testing.assert_close(found, wanted)
    asked = (outputs, states, *attention.parameters())
    for mine, theirs in zip(
        torch.autograd.grad(found.square().sum(), asked),
        torch.autograd.grad(wanted.square().sum(), asked),
        strict=True,
    ):
        torch.testing.assert_close(mine, theirs)


@pytest.mark.parametrize("kind", ["additive", "general"])
def test_gradients_may_be_asked_for_twice(kind):
    attention, (outputs, states) = alignment(kind), leaves(kind)
    loss = together(attention, outputs, states).square().sum()
    asked = (outputs, states, *attention.parameters())
    first = torch.autograd.grad(loss, asked, retain_graph=True)
    for again, before in zip(torch.autograd.grad(loss, asked), first, strict=True):
        torch.testing.assert_close(again, before)


def test_the_weights_of_every_look_are_kept_and_padding_gets_none():
    attention, (outputs, states) = alignment("additive"), leaves("additive")
    looking = AttentionTrace(attention, EncodedSource(outputs, RecurrentState(()), MASK), LOOKS)
    for s in states:
        looking.attend(s)
    weights = looking.all_weights()
    _, wanted = attention(states.transpose(0, 1), attention.project_keys(outputs), outputs, MASK)
    torch.testing.assert_close(weights, wanted)
    assert not weights.transpose(1, 2)[~MASK].any()


def test_the_late_gradient_of_rows_is_the_sum_of_those_of_all_positions():
    torch.manual_seed(1)
    inputs = torch.randn(4, 2, 1, 3, dtype=torch.float64, requires_grad=True)
    matrices = torch.randn(2, 5, 3, dtype=torch.float64, requires_grad=True)
    met = torch.randn(3, 2, 1, 5, dtype=torch.float64, requires_grad=True)  # one is not met
    asked = (inputs, matrices, met)
    late = LateRows(matrices, inputs)
    found = torch.stack([late.meet(u) for u in met])
    wanted = inputs[:3] + met @ matrices
    torch.testing.assert_close(found, wanted)
    for mine, theirs in zip(
        torch.autograd.grad(found.square().sum(), asked),
        torch.autograd.grad(wanted.square().sum(), asked),
        strict=True,
    ):
        torch.testing.assert_close(mine, theirs)
