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
