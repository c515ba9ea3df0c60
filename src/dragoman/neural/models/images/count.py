"""Counting the weights and the multiplications of a network, layer by layer, without running it.

A layer multiplies as often as it adds products: a convolution once for each weight of a filter at
each place of each map it makes, a linear layer once for each weight, attention once for each number
of each query and key that meet, and of each value that is mixed. Norms and activations are not
counted, and a product with a zero of the padding is counted as any other.
"""

import copy
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from dragoman.neural.layers.attention import Attention
from dragoman.neural.layers.images.fixed_filters import FixedConvolution
from dragoman.neural.layers.images.group_convolution import GroupConvolution, LiftingConvolution
from dragoman.neural.models.images.network import ImageNetwork

COUNTED = (
    nn.Conv2d,
    nn.Linear,
    nn.BatchNorm2d,
    nn.LayerNorm,
    Attention,
    FixedConvolution,
    GroupConvolution,
    LiftingConvolution,
)
"""Layers that are asked for the shape of their result and for their multiplications."""


@dataclass(frozen=True, slots=True)
class LayerCount:
    """One layer: what it holds, what it does for one image, and how large its result is."""

    name: str
    kind: str
    parameters: int
    multiplications: int
    shape: tuple[int, ...]
    """Shape of what the layer makes of one image; empty if it was not asked."""


def count_layers(model: ImageNetwork, channels: int, size: int) -> tuple[LayerCount, ...]:
    """Return a row for each layer with weights or multiplications, in the order of the network.

    The network is looked at as it stands: auxiliary heads multiply in training only.
    """
    ghost = copy.deepcopy(model).to("meta")
    found: dict[str, tuple[int, tuple[int, ...]]] = {}

    def note(name: str, module: nn.Module, read: Tensor, output: Tensor) -> None:
        before = found.get(name, (0, ()))[0]
        found[name] = before + multiplications(module, read, output), tuple(output.shape[1:])

    for name, module in ghost.named_modules():
        if isinstance(module, COUNTED):
            module.register_forward_hook(
                lambda module, inputs, output, name=name: note(name, module, inputs[0], output)
            )
    with torch.no_grad():
        ghost.heads(torch.empty(1, channels, size, size, device="meta"))
    rows = []
    for name, module in ghost.named_modules():
        parameters = sum(weight.numel() for weight in module.parameters(recurse=False))
        times, shape = found.get(name, (0, ()))
        if parameters or times:
            rows.append(LayerCount(name, type(module).__name__, parameters, times, shape))
    return tuple(rows)


def multiplications(module: nn.Module, read: Tensor, output: Tensor) -> int:
    """Return how often a layer itself has multiplied, its parts not counted.

    Attention is that of patches to each other.
    """
    match module:
        case nn.Conv2d():
            return output.numel() * module.weight[0].numel()
        case FixedConvolution() | LiftingConvolution() | GroupConvolution():
            return output.numel() * module.weight[0].numel()
        case nn.Linear():
            return output.numel() * module.in_features
        case Attention():
            pairs = module.heads * len(read) * read.shape[1] ** 2
            key_width = module.query.out_features // module.heads
            value_width = module.value.out_features // module.key_value_heads
            return pairs * (key_width + value_width)
        case _:
            return 0
