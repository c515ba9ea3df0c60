"""Pooling against torch's kernels, and where the slope of a maximum goes."""

import pytest
import torch
from torch.nn import functional as F

from dragoman.neural.layers.images.pooling import average_pool_written_out, max_pool_written_out

SHAPES = [(2, 2, 0, 8, 6), (3, 2, 0, 9, 7), (3, 2, 1, 7, 8), (3, 1, 1, 5, 6), (2, 3, 1, 8, 8)]


def some(*shape, seed=0):
    drawn = torch.randn(*shape, generator=torch.Generator().manual_seed(seed))
    return drawn.double().requires_grad_()


def slopes(y, x):
    return torch.autograd.grad((y * some(*y.shape, seed=7).detach()).sum(), x)[0]


WAYS = {
    "max": (max_pool_written_out, F.max_pool2d),
    "average": (average_pool_written_out, F.avg_pool2d),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("kernel", "stride", "padding", "height", "width"), SHAPES)
def test_torch_pools_as_written(way, kernel, stride, padding, height, width):
    ours, theirs = WAYS[way]
    x = some(2, 3, height, width)
    one, other = ours(x, kernel, stride, padding), theirs(x, kernel, stride, padding)
    torch.testing.assert_close(one, other)
    torch.testing.assert_close(slopes(one, x), slopes(other, x))


@pytest.mark.parametrize("way", WAYS)
def test_slopes_are_those_of_small_differences(way):
    assert torch.autograd.gradcheck(lambda x: WAYS[way][0](x, 3, 2, 1), (some(1, 2, 5, 6),))


def test_of_equal_values_the_first_has_all_of_the_slope():
    x = torch.zeros(1, 2, 4, 4, dtype=torch.double)
    x[0, 1] = torch.tensor([[1.0, 2, 2, 0], [2, 2, 0, 2], [0, 0, 3, 1], [0, 0, 1, 3]])
    x.requires_grad_()
    found = [slopes(pool(x, 2, 2), x).ne(0) for pool in WAYS["max"]]
    assert torch.equal(*found)
    corners = torch.zeros(4, 4, dtype=torch.bool)
    corners[::2, ::2] = True
    assert torch.equal(found[0][0, 0], corners)
    assert found[0][0, 1].nonzero().tolist() == [[0, 1], [0, 2], [2, 0], [2, 2]]


def test_a_mean_shares_its_slope():
    x = some(1, 1, 4, 4)
    average_pool_written_out(x, 2, 2).sum().backward()
    assert torch.equal(x.grad, torch.full_like(x, 0.25))
