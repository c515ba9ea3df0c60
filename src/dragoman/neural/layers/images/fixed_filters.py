"""Filters that are not learned: edges, or whatever chance draws.

An edge filter smooths along the edge and takes a difference across it. With binomial weights that
is Sobel's filter, for 3×3

    Gx = [1 2 1]ᵀ [-1 0 1]        Gy = Gxᵀ        in direction θ:  cos θ · Gx + sin θ · Gy

and a ReLU keeps one side of each edge only, so there are eight directions, each with its opposite.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

DIRECTIONS = 8


def binomial(length: int) -> Float[Tensor, " n"]:
    """Return the weights that smooth: 1, 1 1, 1 2 1, 1 3 3 1, …"""
    return torch.tensor([float(math.comb(length - 1, k)) for k in range(length)], device="cpu")


def sobel(kernel: int) -> Float[Tensor, "2 k k"]:
    """Return the filters of vertical and of horizontal edges."""
    smooth, narrow = binomial(kernel), binomial(kernel - 2)
    nothing = narrow.new_zeros(2)
    difference = torch.cat((nothing, narrow)) - torch.cat((narrow, nothing))
    across = torch.outer(smooth, difference)
    return torch.stack((across, across.T))


def edge_filters(count: int, channels: int, kernel: int) -> Float[Tensor, "n c k k"]:
    """Return filters of all directions for each channel in turn, over again if more are wanted.

    Each is as large as a filter that He's rule draws is on average: a square sum of two.
    """
    angle = torch.arange(DIRECTIONS, device="cpu") * (2 * math.pi / DIRECTIONS)
    turns = torch.stack((angle.cos(), angle.sin()), dim=1)  # direction, part
    edges = torch.einsum("dp,pij->dij", turns, sobel(kernel))
    edges = edges * (math.sqrt(2) / edges.flatten(1).norm(dim=1)[:, None, None])
    filters = torch.zeros(count, channels, kernel, kernel, device="cpu")
    for number in range(count):
        filters[number, number // DIRECTIONS % channels] = edges[number % DIRECTIONS]
    return filters


class FixedConvolution(nn.Module):
    """A convolution whose filters are kept with the model but never change."""

    weight: Tensor

    def __init__(self, weight: Float[Tensor, "d c k k"], stride: int = 1) -> None:
        super().__init__()
        self.stride = stride
        self.register_buffer("weight", weight)

    def forward(self, x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b d m n"]:
        """Slide the filters over the images, with zeros around these."""
        kernel = self.weight.shape[2]
        return F.conv2d(x, self.weight, stride=self.stride, padding=kernel // 2)
