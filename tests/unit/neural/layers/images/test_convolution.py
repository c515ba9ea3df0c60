"""The sum of the equation against torch's kernel, and what a convolution means."""

import pytest
import torch
from torch.nn import functional as F

from dragoman.neural.layers.images.convolution import convolve_written_out, likeness, pad

SHAPES = {
    "plain": ((2, 3, 7, 9), (4, 3, 3, 3), {}),
    "strided": ((2, 3, 8, 11), (4, 3, 3, 3), {"stride": 2, "padding": 1}),
    "uneven": ((1, 2, 9, 5), (3, 2, 2, 4), {"stride": 3, "padding": 2}),
    "dilated": ((2, 2, 11, 12), (2, 2, 3, 3), {"dilation": 2, "padding": 1, "stride": 2}),
    "grouped": ((2, 6, 7, 6), (4, 3, 3, 1), {"groups": 2}),
    "by depth": ((2, 4, 6, 6), (8, 1, 3, 3), {"groups": 4, "padding": 1}),
    "one pixel": ((3, 5, 4, 3), (2, 5, 1, 1), {"stride": 2}),
    "whole": ((2, 3, 5, 4), (6, 3, 5, 4), {}),
}


def some(*shape, seed=0):
    drawn = torch.randn(*shape, generator=torch.Generator().manual_seed(seed))
    return drawn.double().requires_grad_()


def slopes(y, *inputs):
    return torch.autograd.grad((y * some(*y.shape, seed=7).detach()).sum(), inputs)


@pytest.mark.parametrize("margin", ["zeros", "circular"])
@pytest.mark.parametrize("shape", SHAPES)
def test_torch_convolves_as_the_equation_has_it(shape, margin):
    picture, filters, habits = SHAPES[shape]
    x, weight, bias = some(*picture), some(*filters, seed=1), some(filters[0], seed=2)
    ours = convolve_written_out(x, weight, bias, margin=margin, **habits)
    padded = pad(x, habits.get("padding", 0), margin)
    theirs = F.conv2d(padded, weight, bias, **{**habits, "padding": 0})
    torch.testing.assert_close(ours, theirs)
    torch.testing.assert_close(slopes(ours, x, weight, bias), slopes(theirs, x, weight, bias))


def test_zeros_around_a_picture_are_torch_s_own_padding():
    x, weight = some(2, 3, 6, 7), some(4, 3, 3, 3, seed=1)
    ours = convolve_written_out(x, weight, padding=1, stride=2)
    torch.testing.assert_close(ours, F.conv2d(x, weight, padding=1, stride=2))


def test_the_slopes_of_the_sum_are_those_of_small_differences():
    x, weight, bias = some(1, 2, 4, 5), some(2, 1, 3, 2, seed=1), some(2, seed=2)
    assert torch.autograd.gradcheck(
        lambda *inputs: convolve_written_out(
            *inputs, stride=2, padding=1, groups=2, margin="circular"
        ),
        (x, weight, bias),
    )


def test_a_filter_in_one_direction_is_the_sum_of_the_notes():
    """A10: w = [2, 0, 1] gives y[i] = 2 x[i-1] + 0 x[i] + 1 x[i+1], with nothing flipped."""
    x = torch.tensor([3.0, -1.0, 4.0, 1.0, -5.0])
    weight = torch.tensor([2.0, 0.0, 1.0])
    wanted = torch.tensor([-1.0, 2 * 3 + 4.0, 2 * -1 + 1.0, 2 * 4 - 5.0, 2 * 1.0])
    found = convolve_written_out(
        pad(x[None, None, None], 1)[..., 1:2, :], weight[None, None, None, :]
    )
    assert torch.equal(found.flatten(), wanted)
    assert torch.equal(F.conv1d(x[None, None], weight[None, None], padding=1).flatten(), wanted)


def test_three_small_filters_see_as_much_as_a_large_one_with_fewer_weights():
    """E67: 3 · 9 C² = 27 C² weights instead of 49 C²."""
    channels, small, large = 5, torch.nn.Sequential(), torch.nn.Conv2d(5, 5, 7, bias=False)
    for _ in range(3):
        small.append(torch.nn.Conv2d(channels, channels, 3, bias=False))
    counts = [sum(weight.numel() for weight in net.parameters()) for net in (small, large)]
    assert counts == [27 * channels**2, 49 * channels**2]
    for network in (small, large):
        picture = torch.randn(1, channels, 7, 7, requires_grad=True)
        scores = network(picture)
        assert scores.shape == (1, channels, 1, 1)
        assert torch.autograd.grad(scores.sum(), picture)[0].ne(0).all()


def test_a_bright_patch_beats_a_like_one_until_lengths_are_divided_out():
    """E38."""
    template = torch.tensor([[[1.0, -1.0], [-1.0, 1.0]]])
    picture = torch.zeros(1, 1, 6, 6)
    picture[0, 0, 0:2, 0:2] = template[0]
    picture[0, 0, 3:5, 3:5] = torch.tensor([[9.0, 1.0], [1.0, 1.0]])
    plain = F.conv2d(picture, template[None])[0, 0]
    cosine = likeness(picture, template)[0]
    assert plain.flatten().argmax() == 2 * 5 + 2  # the bright pixel in its last corner
    assert cosine.flatten().argmax() == 0
    assert cosine[0, 0] == pytest.approx(1.0)
    assert cosine.abs().max() <= 1 + 1e-6


def test_the_cosine_at_each_place_is_that_of_the_two_patches():
    picture, template = some(2, 3, 5, 6).detach(), some(3, 2, 3, seed=1).detach()
    found = likeness(picture, template)
    for row in range(4):
        for column in range(4):
            patch = picture[:, :, row : row + 2, column : column + 3].flatten(1)
            wanted = F.cosine_similarity(patch, template.flatten()[None])
            torch.testing.assert_close(found[:, row, column], wanted)


def test_nothing_is_like_an_empty_patch():
    template = torch.ones(1, 2, 2)
    assert torch.equal(likeness(torch.zeros(1, 1, 3, 3), template), torch.zeros(1, 2, 2))
