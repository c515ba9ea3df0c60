"""What happens to maps when a picture is shifted, turned, or both."""

import torch
from torch import nn
from torch.nn import functional as F

from dragoman.neural.layers.images.group_convolution import (
    TURNS,
    GroupConvolution,
    LiftingConvolution,
    pool_turns,
    rotate_maps,
)


def whole_numbers(*shape, seed=0):
    """Small whole numbers, with which sums are exact in any order."""
    draw = torch.Generator().manual_seed(seed)
    return torch.randint(-9, 10, shape, generator=draw).double()


def with_whole_numbers(layer, seed=1):
    for number, weight in enumerate(layer.parameters()):
        weight.data = whole_numbers(*weight.shape, seed=seed + number)
    return layer.double()


def circular(before, after, kernel, stride=1, seed=1):
    layer = nn.Conv2d(before, after, kernel, stride, padding=kernel // 2, padding_mode="circular")
    return with_whole_numbers(layer, seed)


@torch.no_grad()
def test_zeros_around_a_picture_break_this_at_the_border_only():
    layer = with_whole_numbers(nn.Conv2d(1, 2, 3, padding=1))
    picture = whole_numbers(1, 1, 9, 9)
    moved = layer(picture.roll(2, dims=3))
    wanted = layer(picture).roll(2, dims=3)
    assert not torch.equal(moved, wanted)
    assert torch.equal(moved[..., 3:-1], wanted[..., 3:-1])


@torch.no_grad()
def test_a_step_of_two_does_not_commute_with_a_shift_by_one_but_with_one_by_two():
    layer, picture = circular(1, 2, 3, stride=2), whole_numbers(1, 1, 8, 8)
    by_one = layer(picture.roll(1, dims=3))
    for shift in range(4):
        assert not torch.equal(by_one, layer(picture).roll(shift, dims=3))
    assert torch.equal(layer(picture.roll(2, dims=3)), layer(picture).roll(1, dims=3))


@torch.no_grad()
def test_pooling_over_small_windows_is_moved_less_than_what_it_pools():
    maps = torch.randn(4, 3, 16, 16, generator=torch.Generator().manual_seed(3))
    for pool in (F.max_pool2d, F.avg_pool2d):
        change = (pool(maps.roll(1, 3), 3, 1) - pool(maps, 3, 1)).abs().mean()
        spread = pool(maps, 3, 1).std()
        assert change / spread < 0.75 * (maps.roll(1, 3) - maps).abs().mean() / maps.std()


def turning():
    torch.manual_seed(1)
    lift = with_whole_numbers(LiftingConvolution(2, 3, 3))
    return lift, with_whole_numbers(GroupConvolution(3, 4, 3), seed=8)


@torch.no_grad()
def test_pooling_over_turns_and_places_forgets_how_the_picture_was_turned():
    lift, group = turning()
    picture = whole_numbers(3, 2, 6, 6)

    def look(picture):
        return pool_turns(group(lift(picture).relu()))

    for turns in range(1, TURNS):
        again = look(picture.rot90(turns, dims=(2, 3)))
        assert torch.equal(again, look(picture).rot90(turns, dims=(2, 3)))
        assert torch.equal(again.amax((2, 3)), look(picture).amax((2, 3)))


@torch.no_grad()
def test_four_turns_are_none():
    maps = whole_numbers(1, 2, TURNS, 5, 5)
    once = maps
    for _ in range(TURNS):
        once = rotate_maps(once)
    assert torch.equal(once, maps)


@torch.no_grad()
def test_a_group_convolution_is_its_sum_written_out():
    lift, group = turning()
    maps = lift(whole_numbers(2, 2, 5, 6))
    found = group(maps)
    for r in range(TURNS):
        total = group.bias[:, None, None].expand(4, 5, 6)
        for s in range(TURNS):
            turned_filter = group.weight[:, :, (s - r) % TURNS].rot90(r, dims=(2, 3))
            total = total + F.conv2d(maps[:, :, s], turned_filter, padding=1)
        assert torch.equal(found[:, :, r], total)


def test_slopes_of_the_turning_layers_are_those_of_small_differences():
    torch.manual_seed(2)
    lift, group = LiftingConvolution(1, 2, 3).double(), GroupConvolution(2, 1, 3).double()
    picture = torch.randn(1, 1, 4, 4, dtype=torch.double, requires_grad=True)
    weights = [*lift.parameters(), *group.parameters()]
    assert torch.autograd.gradcheck(
        lambda picture, *_: group(lift(picture).tanh()), (picture, *weights)
    )
