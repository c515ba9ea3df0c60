"""The plain network: orders, fixed filters, and what its summary forgets."""

import pytest
import torch
from torch import nn

from dragoman.config.vision import CnnSettings
from dragoman.neural.layers.images.fixed_filters import FixedConvolution, edge_filters
from dragoman.neural.models.images.cnn import Cnn


def network(size=8, planes=1, **changes):
    torch.manual_seed(3)
    usual = {"channels": (4, 6), "hidden_width": 8, "dropout": 0.0}
    return Cnn(CnnSettings(**{**usual, **changes}), planes, size, 3)


def kinds(stage):
    return [type(layer) for layer in stage if not isinstance(layer, nn.Identity)]


CONVOLVED = [nn.Conv2d, nn.BatchNorm2d, nn.ReLU]


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({}, [*CONVOLVED, nn.MaxPool2d]),
        ({"convolutions": 2}, [*CONVOLVED, *CONVOLVED, nn.MaxPool2d]),
        ({"order": "pooling-first", "pooling": "average"}, [nn.AvgPool2d, *CONVOLVED]),
        (
            {"order": "between", "convolutions": 2},
            [nn.Conv2d, nn.MaxPool2d, nn.BatchNorm2d, nn.ReLU, *CONVOLVED],
        ),
        ({"pooling": "stride", "batch_norm": False}, [nn.Conv2d, nn.ReLU]),
        ({"activation": "tanh", "batch_norm": False}, [nn.Conv2d, nn.Tanh, nn.MaxPool2d]),
    ],
)
def test_a_stage_has_its_parts_in_the_order_of_the_settings(changes, wanted):
    for stage in network(**changes).stages:
        assert kinds(stage) == wanted


@torch.no_grad()
def test_max_pooling_may_come_before_a_rising_activation():
    one = network(batch_norm=False)
    other = network(batch_norm=False, order="between")
    x = torch.randn(2, 1, 8, 8)
    assert torch.equal(one(x), other(x))


@torch.no_grad()
def test_pooling_first_is_another_network():
    one, other = network(), network(order="pooling-first")
    x = torch.randn(2, 1, 8, 8)
    assert not torch.allclose(one(x), other(x))


def test_fixed_edges_stay_what_they_are_and_learned_filters_do_not():
    for filters in ("sobel", "random", "learned"):
        model = network(first_filters=filters, planes=2)
        first = model.stages[0][0]
        before = first.weight.detach().clone()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        model(torch.randn(4, 2, 8, 8)).square().sum().backward()
        optimizer.step()
        assert torch.equal(first.weight, before) == (filters != "learned")
        assert isinstance(first, FixedConvolution) == (filters != "learned")
        assert isinstance(model.stages[1][0], nn.Conv2d)
        if filters == "sobel":
            assert torch.equal(before, edge_filters(4, 2, 3))


@pytest.mark.parametrize("summary", ["average", "max"])
@torch.no_grad()
def test_a_summary_over_all_places_forgets_where_a_thing_stands_and_a_flat_one_does_not(summary):
    """E43, E48: a spot far from the border, moved by as much as the stages shrink."""
    picture = torch.zeros(1, 1, 32, 32)
    picture[..., 12:15, 12:15] = torch.randn(3, 3, generator=torch.Generator().manual_seed(1))
    moved = picture.roll((4, -4), dims=(2, 3))
    model = network(size=32, summary=summary).eval()
    torch.testing.assert_close(model(moved), model(picture), atol=1e-6, rtol=1e-5)
    flat = network(size=32).eval()
    assert (flat(moved) - flat(picture)).abs().max() > 1e-5


def test_its_parameters_are_counted_by_a_formula():
    model = network(size=9, planes=3, channels=(4, 6), kernel_size=5, hidden_width=7)
    filters = 25 * (3 * 4 + 4 * 6) + 2 * (4 + 6)
    head = (6 * 2 * 2 + 1) * 7 + (7 + 1) * 3
    assert sum(weight.numel() for weight in model.parameters()) == filters + head
