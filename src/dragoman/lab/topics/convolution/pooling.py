"""Claims on pooling."""

import torch
from pydantic import Field
from torch.nn import functional as F

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim, measured
from dragoman.lab.evidence import Evidence, equal, same
from dragoman.neural.layers.images.pooling import average_pool_written_out, max_pool_written_out

pooling_reduces = measured(
    "E48",
    "Pooling makes the maps smaller, and the output of the network less sensitive to small shifts.",
    r"y_{i,j} = \max_{0 \leq u,v < k} x_{si+u,\, sj+v}",
    experiment="filters",
)

max_against_average = measured(
    "E49",
    "Max pooling is said to be better than average pooling because it makes the network more "
    "invariant.",
    r"\max_{u,v} x_{u,v} \quad \mathrm{or} \quad \frac{1}{k^2} \sum_{u,v} x_{u,v}",
    experiment="filters",
)

pooling_after = measured(
    "E50",
    "Pooling is said to belong after the convolution, because before it only intensities would "
    "be pooled.",
    r"\mathrm{pool}(\mathbf{w} \star \mathbf{x}) \quad \mathrm{and\ not} \quad "
    r"\mathbf{w} \star \mathrm{pool}(\mathbf{x})",
    experiment="filters",
)


class PoolingGradientSettings(Settings):
    """The two largest values of a pooling window."""

    first: float = Field(default=2.0, ge=-10.0, le=10.0)
    """The value of the first pixel."""
    second: float = Field(default=-1.0, ge=-10.0, le=10.0)
    """The value of the second pixel."""


@claim(
    "E55",
    "Max pooling passes the whole gradient to the larger of two values and nothing to the "
    "other. Where both are equal, any split is a valid subgradient; here the first value gets "
    "all of it.",
    r"\frac{\partial \max(x_1, x_2)}{\partial x_1} = "
    r"\begin{cases} 1 & x_1 > x_2 \\ 0 & x_1 < x_2 \end{cases}",
)
def gradient_of_the_maximum(settings: PoolingGradientSettings) -> Evidence:
    """Compare the gradient of our pooling and of torch's with 1 and 0."""
    least = min(settings.first, settings.second) - 1
    values = torch.tensor(
        [[[[settings.first, settings.second], [least, least]]]],
        dtype=torch.float64,
        requires_grad=True,
    )
    wins = settings.first >= settings.second
    wanted = torch.tensor([float(wins), float(not wins), 0.0, 0.0], dtype=torch.float64)
    (ours,) = torch.autograd.grad(max_pool_written_out(values, 2, 2).sum(), values)
    (theirs,) = torch.autograd.grad(F.max_pool2d(values, 2, 2).sum(), values)
    (mean,) = torch.autograd.grad(average_pool_written_out(values, 2, 2).sum(), values)
    return Evidence(
        stated=[
            same("difference of the gradient from 1 and 0", ours.flatten(), wanted),
            same("difference of the gradient from torch", ours, theirs),
            equal("gradient of average pooling at every pixel", mean.max(), 0.25),
        ],
        numbers={"gradient at the first pixel": ours.flatten()[0].item()},
    )
