"""AlexNet run without data: the shapes and weights of its layers."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import torch

from dragoman.config.vision import AlexNetSettings
from dragoman.lab.evidence import Criterion, equal
from dragoman.neural.models.images.alexnet import AlexNet
from dragoman.planner.count.families import count_network
from dragoman.planner.count.sizes import Sizes

CLASSES, SIDE = 1000, 227


@dataclass(frozen=True)
class TracedLayer:
    """A layer of a network that has been run without data."""

    kind: str
    shape: tuple[int, ...]
    """Of its result: channels, rows, columns, or features."""
    weights: int
    """Without biases."""


def trace(image_size: int, groups: int = 1) -> list[TracedLayer]:
    """Run AlexNet without data, and return its layers in order."""
    with torch.device("meta"):
        network = AlexNet(AlexNetSettings(groups=groups), 3, image_size, CLASSES).eval()
        x = torch.empty(1, 3, image_size, image_size)
    found = []
    for layer in (*network.body, *network.hidden, network.output):
        x = layer(x)
        weights = sum(one.numel() for name, one in layer.named_parameters() if name == "weight")
        found.append(TracedLayer(type(layer).__name__, (*x.shape[1:],), weights))
    return found


def of_kind(layers: Sequence[TracedLayer], kind: str) -> list[TracedLayer]:
    """Return the convolutions, the poolings or the linear layers."""
    return [one for one in layers if one.kind == kind]


def planned(groups: int = 1) -> list[int]:
    """Return the parameters of each layer as the planner counts them, with biases."""
    sizes = Sizes(1, classes=CLASSES, channels=3, image_size=SIDE)
    network = count_network(AlexNetSettings(groups=groups), sizes, training=False)
    return [node.own.parameters for _, node in network.leaves() if node.own.parameters]


def shaped(name: str, layer: TracedLayer, wanted: tuple[int, ...]) -> list[Criterion]:
    """Compare the channels and the side of a result with the stated ones."""
    return [
        equal(f"{name}: channels", layer.shape[0], wanted[0]),
        equal(f"{name}: side", layer.shape[1], wanted[1]),
    ]


def weighed(name: str, layer: TracedLayer, *factors: int) -> Criterion:
    """Compare the weights of a layer with a product."""
    return equal(f"{name}: weights", layer.weights, prod(factors))
