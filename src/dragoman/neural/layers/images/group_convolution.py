"""Convolutions that know of quarter turns (Cohen & Welling 2016, the group p4).

A plain convolution finds a thing wherever it stands; this one also however it is turned by 90°.
Its maps have one more axis g: at g = r they tell what the filter turned r times has found.

    lifting   y[d, r] = Σ over c       x[c]    ⋆ turn(weight[d, c], r)
    group     y[d, r] = Σ over c and s x[c, s] ⋆ turn(weight[d, c, s - r], r)

Turn the image once, and the maps are turned once and move on by one along g, exactly; with the
largest value over g they are turned only, and with that over all places too, nothing changes.
Windows must be odd and step by one, so that places are turned to places.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

TURNS = 4


def rotate_maps(maps: Float[Tensor, "b c 4 h w"]) -> Float[Tensor, "b c 4 w h"]:
    """Return the maps that belong to an image after a quarter turn."""
    return maps.rot90(1, dims=(3, 4)).roll(1, dims=2)


class LiftingConvolution(nn.Module):
    """From an image to maps over places and turns."""

    def __init__(self, before: int, after: int, kernel: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(after, before, kernel, kernel))
        self.bias = nn.Parameter(torch.zeros(after))
        nn.init.kaiming_normal_(self.weight, nonlinearity="relu")

    def filters(self) -> Float[Tensor, "d 4 c k k"]:
        """Return each filter in its four turns."""
        return torch.stack([self.weight.rot90(r, dims=(2, 3)) for r in range(TURNS)], dim=1)

    def forward(self, x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b d 4 h w"]:
        """Look for each filter in its four turns."""
        bias = self.bias.repeat_interleave(TURNS)
        padding = self.weight.shape[2] // 2
        found = F.conv2d(x, self.filters().flatten(0, 1), bias, padding=padding)
        return found.unflatten(1, (len(self.bias), TURNS))


class GroupConvolution(nn.Module):
    """From maps over places and turns to maps of the same kind."""

    def __init__(self, before: int, after: int, kernel: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(after, before, TURNS, kernel, kernel))
        self.bias = nn.Parameter(torch.zeros(after))
        nn.init.kaiming_normal_(self.weight, nonlinearity="relu")

    def filters(self) -> Float[Tensor, "d 4 c 4 k k"]:
        """Return each filter in its four turns: in the plane, and moved on along the turns."""
        turns = [self.weight.rot90(r, dims=(3, 4)).roll(r, dims=2) for r in range(TURNS)]
        return torch.stack(turns, dim=1)

    def forward(self, x: Float[Tensor, "b c 4 h w"]) -> Float[Tensor, "b d 4 h w"]:
        """Look for each filter in its four turns."""
        bias = self.bias.repeat_interleave(TURNS)
        filters = self.filters().flatten(2, 3).flatten(0, 1)  # (d 4) (c 4) k k
        found = F.conv2d(x.flatten(1, 2), filters, bias, padding=self.weight.shape[3] // 2)
        return found.unflatten(1, (len(self.bias), TURNS))


def pool_turns(maps: Float[Tensor, "b c 4 h w"]) -> Float[Tensor, "b c h w"]:
    """Keep the turn in which each filter was found best, and forget which it was."""
    return maps.amax(dim=2)
