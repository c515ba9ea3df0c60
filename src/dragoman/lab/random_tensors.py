"""Random tensors and layers for claims: float64, from a seed, torch's own state untouched."""

from collections.abc import Callable
from typing import TypeVar

import torch
from torch import Tensor, nn

Layer = TypeVar("Layer", bound=nn.Module)


def normal(seed: int, *shape: int) -> Tensor:
    """Return standard normal numbers in float64."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def shuffled(seed: int, count: int) -> Tensor:
    """Return a random order of 0, 1, …, count - 1."""
    return torch.randperm(count, generator=torch.Generator().manual_seed(seed))


def random_layer(build: Callable[[], Layer], seed: int) -> Layer:
    """Return a layer in float64 with random weights and biases, none of them zero."""
    with torch.random.fork_rng(devices=[]):
        layer = build().double().eval()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weight in layer.parameters():
            drawn = torch.randn(weight.shape, generator=generator, dtype=torch.float64)
            weight.copy_(drawn / weight.shape[-1] ** 0.5)
    return layer
