"""Claims on what AlexNet's layers do: local response normalization, and ReLUs."""

from collections.abc import Sequence

import torch
from pydantic import Field
from torch import nn
from torch.nn import functional as F

from dragoman.config.settings import Settings
from dragoman.config.vision import AlexNetSettings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, apart, equal, same
from dragoman.lab.sampling import normal, seeded
from dragoman.lab.topics.convolution.traced_alexnet import CLASSES, trace
from dragoman.neural.layers.images.local_response import LocalResponse
from dragoman.neural.models.images.alexnet import AlexNet


class LocalResponseSettings(Settings):
    """Random maps, and the constants of the normalization."""

    channels: int = Field(default=8, ge=1, le=64)
    """Number of maps."""
    maps: int = Field(default=5, ge=1, le=9)
    """Number of neighboring maps in the sum (n)."""
    alpha: float = Field(default=0.1, ge=1e-4, le=10.0)
    """Strength of the normalization (α); the paper has 0.0001."""
    seed: int = Field(default=1, ge=0)
    """Seed of the maps."""


@claim(
    "E58",
    "AlexNet uses *local response normalization*: each map is divided by a power of the sum of "
    "squares of the neighboring maps at the same position. No mean is subtracted, and the "
    "normalization comes before the pooling.",
    r"y_c = \frac{x_c}{\left( k + \alpha \sum_{j=c-n/2}^{c+n/2} x_j^2 \right)^{\beta}}",
    notes=r"the values are normalized by $(x - \mu) / \sigma$, after the pooling layers.",
)
def local_response(settings: LocalResponseSettings) -> Evidence:
    """Compare our layer with both formulas, and find its place in the network."""
    x = normal(settings.seed, 1, settings.channels, 3, 3) + 1
    ours = LocalResponse(settings.maps, settings.alpha)(x)
    by_hand = torch.zeros_like(x)
    for c in range(settings.channels):
        first, last = c - settings.maps // 2, c + (settings.maps - 1) // 2
        around = x[:, max(0, first) : last + 1]
        by_hand[:, c] = x[:, c] / (2 + settings.alpha * (around**2).sum(1)) ** 0.75
    centered = (x - x.mean()) / x.std(unbiased=False)
    kinds = [layer.kind for layer in trace(227)]
    places = [place for place, kind in enumerate(kinds) if kind == "LocalResponse"]
    behind = [kinds[place + 1] for place in places]
    return Evidence(
        stated=[
            same("difference of our layer from (x − μ)/σ", ours, centered),
            equal(
                "normalizations right after a pooling",
                sum(kinds[p - 1] == "MaxPool2d" for p in places),
                2,
            ),
        ],
        corrected=[
            same("difference of our layer from local response normalization", ours, by_hand),
            equal("normalizations right before a pooling", behind.count("MaxPool2d"), 2),
        ],
        numbers={
            "mean after local response normalization": ours.mean().item(),
            "mean after (x − μ)/σ": centered.mean().item(),
        },
    )


class AlexNetReluSettings(Settings):
    """A narrow AlexNet with random weights."""

    width: int = Field(default=4, ge=1, le=16)
    """Filters of each convolution."""
    seed: int = Field(default=1, ge=0)
    """Seed of weights and image."""


@claim(
    "E66",
    "A ReLU follows every convolution of AlexNet, and the last layer scores 1000 classes.",
    r"\mathbf{h}_l = \max(0,\ \mathbf{w}_l \star \mathbf{h}_{l-1} + b_l)",
)
def relu_everywhere(settings: AlexNetReluSettings) -> Evidence:
    """Compare a narrow AlexNet with its written-out equation, with ReLUs and without."""
    widths = (settings.width,) * 5
    small = AlexNetSettings(channels=widths, hidden_width=8, dropout=0.0)
    with seeded(settings.seed):
        network = AlexNet(small, 3, 67, CLASSES).double().eval()
    image = normal(settings.seed, 1, 3, 67, 67)
    convolutions = [layer for layer in network.body if isinstance(layer, nn.Conv2d)]
    with torch.no_grad():
        ours = network.body(image)
        with_relu, without = (
            _written_out(image, convolutions, relu=relu) for relu in (True, False)
        )
    kinds = [layer.kind for layer in trace(227)]
    followed = [kinds[n + 1] == "ReLU" for n, kind in enumerate(kinds) if kind == "Conv2d"]
    return Evidence(
        stated=[
            same("difference of the maps from the equation", ours, with_relu),
            apart("difference of the maps from the equation without ReLU", ours, without, 1e-6),
            equal("convolutions followed by a ReLU", sum(followed), len(convolutions)),
            equal("scores", trace(227)[-1].shape[0], CLASSES),
        ]
    )


def _written_out(x: torch.Tensor, convolutions: Sequence[nn.Conv2d], *, relu: bool) -> torch.Tensor:
    """Return the maps of AlexNet's body: convolution, ReLU, local response, pooling."""
    for number, layer in enumerate(convolutions):
        stride, padding = (4, 0) if number == 0 else (1, 2 if number == 1 else 1)
        x = F.conv2d(x, layer.weight, layer.bias, stride, padding)
        x = x.clamp(min=0) if relu else x
        if number < 2:
            x = F.local_response_norm(x, 5, 5e-4, 0.75, 2.0)
        if number in (0, 1, 4):
            x = F.max_pool2d(x, 3, 2)
    return x
