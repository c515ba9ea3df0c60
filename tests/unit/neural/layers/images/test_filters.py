"""Fixed filters, inception modules and the first weights."""

import pytest
import torch
from torch import nn

from dragoman.neural.layers.images.fixed_filters import (
    DIRECTIONS,
    FixedConvolution,
    edge_filters,
    sobel,
)
from dragoman.neural.layers.images.inception import Inception, InceptionWidths
from dragoman.neural.layers.images.initialize import initialize_images


def test_the_smallest_edge_filters_are_sobel_s():
    assert sobel(3)[0].tolist() == [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]
    assert sobel(3)[1].tolist() == [[-1, -2, -1], [0, 0, 0], [1, 2, 1]]
    assert sobel(5)[0, 2].tolist() == [-6, -12, 0, 12, 6]


@pytest.mark.parametrize("kernel", [3, 5, 7])
def test_edge_filters_see_no_flat_picture_and_each_direction_once_for_each_channel(kernel):
    filters = edge_filters(2 * DIRECTIONS, 2, kernel)
    assert filters.sum((2, 3)).abs().max() < 1e-6
    assert filters[:DIRECTIONS, 1].abs().max() == filters[DIRECTIONS:, 0].abs().max() == 0
    assert torch.equal(filters[:DIRECTIONS, 0], filters[DIRECTIONS:, 1])
    torch.testing.assert_close(filters.square().sum((1, 2, 3)), torch.full((16,), 2.0))
    half = DIRECTIONS // 2
    torch.testing.assert_close(filters[:half, 0], -filters[half:DIRECTIONS, 0])


def test_an_edge_wakes_the_filter_of_its_direction_most():
    rows = torch.arange(9.0)[:, None] - 4
    columns = torch.arange(9.0) - 4
    layer = FixedConvolution(edge_filters(DIRECTIONS, 1, 3))
    for number in range(DIRECTIONS):
        angle = torch.tensor(number * torch.pi / 4)
        ramp = columns * angle.cos() + rows * angle.sin()
        assert layer(ramp[None, None])[0, :, 4, 4].argmax() == number


def test_fixed_filters_are_kept_but_not_learned():
    layer = FixedConvolution(edge_filters(4, 1, 3), stride=2)
    assert list(layer.parameters()) == []
    assert list(layer.state_dict()) == ["weight"]
    assert layer(torch.zeros(1, 1, 7, 7)).shape == (1, 4, 4, 4)


WIDTHS = InceptionWidths(3, 2, 5, 1, 4, 2)


def test_the_branches_of_a_module_stand_side_by_side():
    torch.manual_seed(1)
    x = torch.randn(2, 6, 7, 5)
    for bottleneck, channels in ((True, 3 + 5 + 4 + 2), (False, 3 + 5 + 4 + 6)):
        module = Inception(6, WIDTHS, bottleneck=bottleneck)
        found = module(x)
        assert module.channels == channels
        assert found.shape == (2, channels, 7, 5)
        one, three = module.branches[0], module.branches[1]
        assert torch.equal(found[:, :3], one(x))
        assert torch.equal(found[:, 3:8], three(x))
    assert torch.equal(found[:, 12:], nn.functional.max_pool2d(x, 3, 1, 1))


def test_widths_grow_and_shrink_in_proportion():
    assert InceptionWidths(64, 96, 128, 16, 32, 32).times(8, 64) == InceptionWidths(
        8, 12, 16, 2, 4, 4
    )


def test_signals_keep_their_size_through_many_layers_of_drawn_weights():
    torch.manual_seed(1)
    layers = nn.Sequential()
    for _ in range(10):
        layers.append(nn.Conv2d(64, 64, 3, padding=1, padding_mode="circular"))
        layers.append(nn.ReLU())
    layers.append(nn.Linear(400, 40))
    initialize_images(layers, layers[-1])
    x = torch.randn(4, 64, 8, 8)
    with torch.no_grad():
        squares = layers[:-1](x).square().mean()
    assert 0.2 < squares < 5
    assert layers[-1].weight.std().item() == pytest.approx(0.25 / 20, rel=0.05)
