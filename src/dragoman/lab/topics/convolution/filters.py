"""Claims on convolution itself: a filter that is moved over a signal, and what it finds."""

import torch
from pydantic import Field
from torch.nn import functional as F

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim, measured
from dragoman.lab.evidence import Evidence, above, apart, at_most, equal, same
from dragoman.lab.sampling import normal
from dragoman.neural.layers.images.convolution import convolve_written_out, likeness, pad
from dragoman.plots.lab import HeatMap

NOTES_FILTER = (2.0, 0.0, 1.0)


class ConvolutionLineSettings(Settings):
    """A random one-dimensional signal."""

    length: int = Field(default=12, ge=3, le=1000)
    """Length of the signal."""
    seed: int = Field(default=1, ge=0)
    """Seed of the values."""


@claim(
    "A10",
    "A one-dimensional convolution replaces each value by a weighted sum of itself and its "
    "neighbors. The filter $[2, 0, 1]$ takes twice the left neighbor plus the right one. "
    "Nothing is flipped: what neural networks call convolution is a cross-correlation.",
    r"y_i = \sum_{j=-1}^{1} x_{i+j}\, w_{j+2} = 2 x_{i-1} + 0\, x_i + x_{i+1}",
)
def filter_of_three(settings: ConvolutionLineSettings) -> Evidence:
    """Compare the sum of the notes with our convolution, with torch's, and with a flipped one."""
    x = normal(settings.seed, settings.length)
    weight = torch.tensor(NOTES_FILTER, dtype=torch.float64)
    around = [0.0, *x.tolist(), 0.0]
    by_hand = torch.tensor(
        [sum(around[i + j + 1] * NOTES_FILTER[j + 1] for j in (-1, 0, 1)) for i in range(len(x))],
        dtype=torch.float64,
    )
    row = pad(x[None, None, None], 1)[..., 1:2, :]
    ours = convolve_written_out(row, weight[None, None, None]).flatten()
    theirs = F.conv1d(x[None, None], weight[None, None], padding=1).flatten()
    flipped = F.conv1d(x[None, None], weight.flip(0)[None, None], padding=1).flatten()
    return Evidence(
        stated=[
            same("difference from the sum of the notes", ours, by_hand),
            same("difference from torch's conv1d", ours, theirs),
            apart("difference from the flipped filter", ours, flipped, 1e-3),
        ],
        numbers={"y at position 1": ours[1].item(), "2 x[0] + x[2]": (2 * x[0] + x[2]).item()},
    )


class TemplateSettings(Settings):
    """An image that contains a template and a brighter patch."""

    brightness: float = Field(default=9.0, ge=0.0, le=100.0)
    """Brightness of a pixel outside the template."""
    contrast: float = Field(default=0.5, ge=0.1, le=10.0)
    """Contrast with which the template is drawn."""


@claim(
    "E38",
    "A convolution is the dot product of the filter with every patch, so it is large where a "
    "patch resembles the filter. It is the cosine without the division by the lengths: a bright "
    "patch can score higher than a similar one.",
    r"\cos\theta = \frac{\mathbf{u} \cdot \mathbf{v}}{\lVert \mathbf{u} \rVert \, "
    r"\lVert \mathbf{v} \rVert}",
)
def convolution_finds_patches(settings: TemplateSettings) -> Evidence:
    """Look for a checkered template by the dot product and by the cosine of each patch."""
    template = torch.tensor([[[1.0, -1.0], [-1.0, 1.0]]], dtype=torch.float64)
    image = torch.zeros(1, 1, 7, 7, dtype=torch.float64)
    image[0, 0, 1:3, 1:3] = settings.contrast * template[0]
    image[0, 0, 4:6, 4:6] = torch.tensor([[settings.brightness, 1.0], [1.0, 1.0]])
    found = convolve_written_out(image, template[None])[0, 0]
    cosines = likeness(image, template)[0]
    each = [
        (image[0, 0, row : row + 2, column : column + 2].flatten(), row, column)
        for row in range(6)
        for column in range(6)
    ]
    dots, by_hand = torch.zeros(6, 6).double(), torch.zeros(6, 6).double()
    for patch, row, column in each:
        dots[row, column] = torch.dot(patch, template.flatten())
        by_hand[row, column] = F.cosine_similarity(patch, template.flatten(), dim=0)
    return Evidence(
        stated=[
            same("difference of the convolution from dot products", found, dots),
            same("difference of the cosines from torch", cosines, by_hand, 1e-7),
            equal("cosine at the template", cosines[1, 1], 1.0),
            at_most("largest cosine elsewhere", _without(cosines, 1, 1).max(), 1 - 1e-6),
            above("convolution at the template", found[1, 1], 0.0),
        ],
        numbers={
            "convolution at the template": found[1, 1].item(),
            "largest convolution elsewhere": _without(found, 1, 1).max().item(),
        },
        plot=[
            HeatMap("Dot product at each position", found.tolist(), "column", "row"),
            HeatMap("Cosine at each position", cosines.tolist(), "column", "row"),
        ],
    )


def _without(values: torch.Tensor, row: int, column: int) -> torch.Tensor:
    """Return a copy with one entry set to minus infinity."""
    copy = values.clone()
    copy[row, column] = -torch.inf
    return copy


learned_filters = measured(
    "E40",
    "Learned filters are said to be better than filters designed by hand, such as the Sobel "
    "filters for edges.",
    r"G_x = \begin{pmatrix} -1 & 0 & 1 \\ -2 & 0 & 2 \\ -1 & 0 & 1 \end{pmatrix}",
    experiment="filters",
)
