import pytest
import torch
from tests.oracles import scramble
from torch.nn import functional as F

from dragoman.neural.layers.feed_forward import FeedForward


@pytest.mark.parametrize(("name", "activation"), [("relu", F.relu), ("gelu", F.gelu)])
def test_it_is_two_matrices_with_an_activation_between(name, activation):
    layer = scramble(FeedForward(16, 24, activation=name))
    x = torch.randn(2, 5, 16)
    inner = activation(x @ layer.inner.weight.T + layer.inner.bias)
    torch.testing.assert_close(layer(x), inner @ layer.output.weight.T + layer.output.bias)


def test_each_position_is_by_itself():
    layer = scramble(FeedForward(16, 24))
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


@pytest.mark.parametrize("name", ["relu", "gelu"])
def test_the_gradient_is_the_slope(name):
    torch.manual_seed(0)
    layer = scramble(FeedForward(4, 6, activation=name)).double()
    x = torch.randn(1, 3, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(layer, (x,))
