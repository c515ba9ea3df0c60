import pytest
import torch
from tests.oracles import scramble
from torch.nn import functional as F

from dragoman.neural.layers.feed_forward import (
    FeedForward,
    GatedFeedForward,
    SingleFeedForward,
    build_feed_forward,
)

KINDS = ["relu", "gelu", "gelu-tanh", "swiglu", "single"]


def old_gelu(x):
    return F.gelu(x, approximate="tanh")


def built(kind, width=16, ffn_width=24, dropout=0.0, biases=True):
    return build_feed_forward(kind, width, ffn_width, dropout=dropout, biases=biases)


@pytest.mark.parametrize(
    ("name", "activation"), [("relu", F.relu), ("gelu", F.gelu), ("gelu-tanh", old_gelu)]
)
def test_it_is_two_matrices_with_an_activation_between(name, activation):
    layer = scramble(FeedForward(16, 24, activation=name))
    x = torch.randn(2, 5, 16)
    inner = activation(x @ layer.inner.weight.T + layer.inner.bias)
    torch.testing.assert_close(layer(x), inner @ layer.output.weight.T + layer.output.bias)


def test_a_gate_of_its_own_decides_what_goes_on():
    layer = scramble(GatedFeedForward(16, 24))
    x = torch.randn(2, 5, 16)
    gate = x @ layer.gate.weight.T + layer.gate.bias
    inner = gate * gate.sigmoid() * (x @ layer.inner.weight.T + layer.inner.bias)
    torch.testing.assert_close(layer(x), inner @ layer.output.weight.T + layer.output.bias)


def test_a_single_layer_is_one_matrix_of_the_width():
    layer = scramble(SingleFeedForward(16))
    x = torch.randn(2, 5, 16)
    wanted = (x @ layer.output.weight.T + layer.output.bias).clamp(min=0)
    torch.testing.assert_close(layer(x), wanted)


@pytest.mark.parametrize("kind", KINDS)
def test_biases_may_be_left_out(kind):
    names = [name for name, _ in built(kind, biases=False).named_parameters()]
    assert names
    assert not any("bias" in name for name in names)


@pytest.mark.parametrize("kind", KINDS)
def test_each_position_is_by_itself(kind):
    layer = scramble(built(kind))
    x = torch.randn(2, 5, 16)
    before = layer(x)
    x[:, 2] = 1e3
    others = [0, 1, 3, 4]
    torch.testing.assert_close(layer(x)[:, others], before[:, others])


def test_dropout_is_inside_and_only_while_training():
    layer = scramble(FeedForward(16, 24, dropout=0.9))
    x = torch.randn(2, 5, 16)
    layer.eval()
    assert torch.equal(layer(x), layer(x))
    layer.train()
    assert not torch.equal(layer(x), layer(x))
    assert layer(x).ne(0).all()  # what is dropped is inside; the output bias stays


@pytest.mark.parametrize("kind", KINDS)
def test_the_gradient_is_the_slope(kind):
    torch.manual_seed(0)
    layer = scramble(built(kind, 4, 6)).double()
    x = torch.randn(1, 3, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(layer, (x,))
