"""Inception modules (Szegedy et al. 2015): filters of several sizes side by side.

            ┌─ 1×1 ──────────────┐                 ┌─ 1×1 ───────┐
bottleneck  ├─ 1×1 ─ 3×3 ────────┤          naive  ├─ 3×3 ───────┤
        x ──┼─ 1×1 ─ 5×5 ────────┼─▶           x ──┼─ 5×5 ───────┼─▶
            └─ max pool 3×3 ─ 1×1┘                 └─ max pool ──┘

Every convolution ends with a ReLU; the maps of all branches are laid side by side.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from dragoman.config.vision_shapes import InceptionWidths


def bent_convolution(
    before: int, after: int, kernel: int, *, stride: int = 1, batch_norm: bool = False
) -> nn.Sequential:
    """Return a convolution, a norm if there is one, and a ReLU."""
    layers = nn.Sequential(
        nn.Conv2d(before, after, kernel, stride, padding=kernel // 2, bias=not batch_norm)
    )
    if batch_norm:
        layers.append(nn.BatchNorm2d(after))
    layers.append(nn.ReLU())
    return layers


class Inception(nn.Module):
    """Four branches that read the same maps."""

    def __init__(
        self,
        before: int,
        widths: InceptionWidths,
        *,
        bottleneck: bool = True,
        batch_norm: bool = False,
    ) -> None:
        super().__init__()

        def convolution(before: int, after: int, kernel: int) -> nn.Sequential:
            return bent_convolution(before, after, kernel, batch_norm=batch_norm)

        pool = nn.MaxPool2d(3, stride=1, padding=1)
        one = convolution(before, widths.one, 1)
        if bottleneck:
            three = nn.Sequential(
                convolution(before, widths.narrow_three, 1),
                convolution(widths.narrow_three, widths.three, 3),
            )
            five = nn.Sequential(
                convolution(before, widths.narrow_five, 1),
                convolution(widths.narrow_five, widths.five, 5),
            )
            pooled = nn.Sequential(pool, convolution(before, widths.pooled, 1))
        else:
            three = convolution(before, widths.three, 3)
            five = convolution(before, widths.five, 5)
            pooled = nn.Sequential(pool)
        self.branches = nn.ModuleList((one, three, five, pooled))
        self.channels = widths.one + widths.three + widths.five
        self.channels += widths.pooled if bottleneck else before

    def forward(self, x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b d h w"]:
        """Return what the branches find, side by side."""
        return torch.cat([branch(x) for branch in self.branches], dim=1)
