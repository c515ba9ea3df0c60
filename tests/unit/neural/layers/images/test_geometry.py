"""Sizes and fields by formula, against torch's kernels and against what gradients touch."""

import itertools

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from dragoman.core.errors import ShapeError
from dragoman.neural.layers.images.geometry import (
    Window,
    output_size,
    padding_that_keeps,
    receptive_field,
    smallest_size,
)

GRID = list(itertools.product(range(1, 12), range(1, 6), (1, 2, 3), (0, 1, 2), (1, 2)))


def test_sizes_are_those_of_torch_s_convolutions():
    tried = 0
    for size, kernel, stride, padding, dilation in GRID:
        window = Window(kernel, stride, padding, dilation)
        if size + 2 * padding < window.reach:
            assert window.output(size) == 0
            continue
        x, weight = torch.empty(1, 1, size, device="meta"), torch.empty(1, 1, kernel, device="meta")
        found = F.conv1d(x, weight, None, stride, padding, dilation)
        assert window.output(size) == found.shape[2]
        tried += 1
    assert tried > 500


def test_sizes_are_those_of_torch_s_poolings():
    for size, kernel, stride in itertools.product(range(3, 12), (2, 3), (1, 2, 3)):
        found = F.max_pool2d(torch.zeros(1, 1, size, size), kernel, stride, padding=1)
        assert Window(kernel, stride, 1).output(size) == found.shape[2]


def test_the_smallest_size_is_the_smallest():
    for window in itertools.starmap(Window, itertools.product((1, 2, 3, 5), (1, 2, 3), (0, 1))):
        for output in (1, 2, 5):
            size = window.smallest(output)
            assert window.output(size) >= output
            assert size == 1 or window.output(size - 1) < output


def test_a_chain_is_one_window_after_the_other():
    chain = (Window(11, 4), Window(3, 2), Window(3, 2), Window(3, 2))
    assert [output_size(chain[:end], 227) for end in range(5)] == [227, 55, 27, 13, 6]
    assert smallest_size(chain) == 67
    assert (output_size(chain, 67), output_size(chain, 66)) == (1, 0)


def test_the_padding_that_keeps_the_size_solves_the_equation():
    for size, kernel, stride in itertools.product(range(1, 10), range(1, 8), (1, 2, 3)):
        twice = size * stride - size - stride + kernel
        if twice % 2 and stride == 1:
            with pytest.raises(ShapeError, match="Use an odd window"):
                padding_that_keeps(size, kernel, stride)
            continue
        padding = padding_that_keeps(size, kernel, stride)
        assert Window(kernel, stride, padding).output(size) == size
        assert padding == 0 or Window(kernel, stride, padding - 1).output(size) < size
        if twice % 2 == 0:
            assert padding == twice // 2


@pytest.mark.parametrize(
    "window",
    [Window(3), Window(5, 2, 2), Window(2, 3), Window(3, 1, 1, 2), Window(3, 2, 1, 3)],
)
def test_windows_that_touch_a_place_are_what_its_gradient_counts(window):
    x = torch.zeros(1, 1, 11, requires_grad=True)
    ones = torch.ones(1, 1, window.kernel)
    F.conv1d(x, ones, None, window.stride, window.padding, window.dilation).sum().backward()
    assert window.touches(11) == tuple(x.grad.flatten().int().tolist())


def measured(chain, size, unit):
    """Return the first and the last place that moves a unit at the end of a chain."""
    x = torch.zeros(1, 1, size, requires_grad=True, dtype=torch.double)
    y = x
    for window in chain:
        layer = nn.Conv1d(1, 1, window.kernel, window.stride, window.padding, window.dilation)
        nn.init.ones_(layer.weight)
        y = layer.double()(y)
    y[0, 0, unit].backward()
    touched = x.grad.flatten().nonzero()
    return int(touched.min()), int(touched.max())


CHAINS = {
    "three of three": (Window(3),) * 3,
    "one of seven": (Window(7),),
    "with steps": (Window(3, 2, 1), Window(2, 2), Window(3, 1, 1)),
    "dilated": (Window(3, 1, 0, 2), Window(3, 2, 0, 3)),
    "resnet's stem": (Window(7, 2, 3), Window(3, 2, 1), Window(3, 1, 1), Window(3, 1, 1)),
    "alexnet": (Window(11, 4), Window(3, 2), Window(5, 1, 2), Window(3, 2)),
}


@pytest.mark.parametrize("name", CHAINS)
def test_the_field_by_formula_is_the_field_that_gradients_touch(name):
    chain, size = CHAINS[name], 227
    field, units = receptive_field(chain), output_size(CHAINS[name], 227)
    for unit in (0, 1, units // 2, units - 1):
        first, last = field.seen(unit)
        assert measured(chain, size, unit) == (max(0, first), min(size - 1, last))
