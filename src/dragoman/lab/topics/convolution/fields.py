"""Claims on receptive fields: what a unit sees of the image."""

from collections.abc import Sequence

import torch
from pydantic import Field
from torch.nn import functional as F

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, at_least, below, equal, same
from dragoman.neural.layers.images.geometry import (
    Window,
    output_size,
    receptive_field,
    smallest_size,
)
from dragoman.plots.lab import Panel, curve


class ReceptiveFieldSettings(Settings):
    """A chain of equal one-dimensional convolutions."""

    layers: int = Field(default=3, ge=1, le=6)
    """Number of convolutions."""
    kernel: int = Field(default=3, ge=1, le=7)
    """Width of every filter."""
    stride: int = Field(default=2, ge=1, le=3)
    """Stride of every layer."""
    dilation: int = Field(default=1, ge=1, le=3)
    """Distance between the positions that a filter reads."""


def seen_by_gradient(windows: Sequence[Window], size: int, unit: int) -> tuple[int, int]:
    """Return the first and the last input position that influence a unit of the last layer."""
    row = torch.zeros(1, 1, size, requires_grad=True, dtype=torch.float64)
    y = row
    for window in windows:
        ones = torch.ones(1, 1, window.kernel, dtype=torch.float64)
        y = F.conv1d(y, ones, None, window.stride, window.padding, window.dilation)
    (slope,) = torch.autograd.grad(y[0, 0, unit], row)
    touched = slope.flatten().nonzero()
    return int(touched.min()), int(touched.max())


@claim(
    "E41",
    "The receptive field of a unit is everything in the layers before it that can change its "
    "value. Each layer adds $f - 1$, times the dilation and the strides of all earlier layers.",
    r"r = 1 + \sum_{l=1}^{L} d_l (f_l - 1) \prod_{k<l} s_k",
)
def receptive_fields(settings: ReceptiveFieldSettings) -> Evidence:
    """Compare the formula and our fields with the positions that a unit's gradient reaches."""
    window = Window(settings.kernel, settings.stride, 0, settings.dilation)
    windows = [window] * settings.layers
    size = smallest_size(windows, 3)
    field = receptive_field(windows)
    closed, step = 1, 1
    for _ in windows:
        closed += settings.dilation * (settings.kernel - 1) * step
        step *= settings.stride
    units = range(min(3, output_size(windows, size)))
    found = [seen_by_gradient(windows, size, unit) for unit in units]
    return Evidence(
        stated=[
            equal("size of the field, by the formula", field.size, closed),
            equal("size of the field, by the gradient", found[0][1] - found[0][0] + 1, closed),
            same(
                "difference of the ends of three fields from the gradient's",
                torch.tensor([field.seen(unit) for unit in units]),
                torch.tensor(found),
            ),
        ],
        numbers={"receptive field": field.size, "step between neighboring fields": field.step},
    )


class ReceptiveDepthSettings(Settings):
    """An image, and filters that are much smaller."""

    size: int = Field(default=31, ge=8, le=120)
    """Side of the image."""
    kernel: int = Field(default=3, ge=2, le=7)
    """Side of the filters."""


@claim(
    "E42",
    "A unit of a convolution is connected to only a few pixels. To see the whole image it needs "
    "a deep network: with stride 1 the receptive field grows by only $f - 1$ with every layer.",
    r"r_L = 1 + L(f-1) \geq n \quad \Rightarrow \quad L \geq \frac{n-1}{f-1}",
)
def depth_for_the_field(settings: ReceptiveDepthSettings) -> Evidence:
    """Measure with gradients what a unit sees after more and more layers."""
    n, f = settings.size, settings.kernel
    needed = -(-(n - 1) // (f - 1))
    depths = sorted({1, 2, needed // 2, needed - 1, needed} - {0})
    spans = [_span(n, f, depth) for depth in depths]
    ours = [min(n, receptive_field([Window(f)] * depth).size) for depth in depths]
    strided = [receptive_field([Window(f, 2)] * depth).size for depth in range(1, 6)]
    shown = range(1, needed + 1)
    return Evidence(
        stated=[
            below("pixels of a row that one layer sees", spans[0], n),
            same(
                "difference of our fields from the gradient's",
                torch.tensor(ours),
                torch.tensor(spans),
            ),
            below("pixels seen with one layer less", spans[-2], n),
            at_least("pixels seen after (n − 1)/(f − 1) layers", spans[-1], n),
        ],
        numbers={"layers needed": needed, "field of 5 layers with stride 2": strided[-1]},
        plot=[
            Panel(
                f"Field of filters of {f}",
                [
                    curve("stride 1", shown, [1 + depth * (f - 1) for depth in shown]),
                    curve("size of the image", shown, [n for _ in shown], 1, dashed=True),
                ],
                "layers",
                lowest=0,
            )
        ],
    )


def _span(n: int, f: int, depth: int) -> int:
    """Return how many pixels of a row of n the middle unit sees, zeros around the row."""
    windows = [Window(f, padding=f - 1)] * depth
    unit = output_size(windows, n) // 2
    first, last = seen_by_gradient(windows, n, unit)
    return last - first + 1
