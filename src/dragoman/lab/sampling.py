"""Random numbers, layers and weights of claims: float64, from a seed, global state untouched."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import torch
from torch import Tensor, nn

Layer = TypeVar("Layer", bound=nn.Module)


class NumberSampler:
    """A stream of random numbers that leaves torch's own generator alone."""

    def __init__(self, seed: int) -> None:
        self.generator = torch.Generator().manual_seed(seed)

    def normal(self, *shape: int) -> Tensor:
        """Return numbers of mean 0 and deviation 1."""
        return torch.randn(*shape, generator=self.generator, dtype=torch.float64)

    def uniform(self, *shape: int, low: float = 0.0, high: float = 1.0) -> Tensor:
        """Return numbers that are equally likely anywhere between two bounds."""
        drawn = torch.rand(*shape, generator=self.generator, dtype=torch.float64)
        return low + (high - low) * drawn

    def integers(self, below: int, *shape: int) -> Tensor:
        """Return whole numbers from 0 on."""
        return torch.randint(below, shape, generator=self.generator)

    def orthogonal(self, width: int) -> Tensor:
        """Return a rotation or reflection: every singular value is 1."""
        q, r = torch.linalg.qr(self.normal(width, width))
        return q * r.diagonal().sign()


def normal(seed: int, *shape: int) -> Tensor:
    """Return standard normal numbers in float64."""
    return NumberSampler(seed).normal(*shape)


def shuffled(seed: int, count: int) -> Tensor:
    """Return a random order of 0, 1, …, count - 1."""
    return torch.randperm(count, generator=torch.Generator().manual_seed(seed))


def random_layer(build: Callable[[], Layer], seed: int) -> Layer:
    """Return a layer in float64 with random weights and biases, none of them zero."""
    with seeded(seed):
        layer = build().double().eval()
    sampler = NumberSampler(seed)
    with torch.no_grad():
        for weight in layer.parameters():
            weight.copy_(sampler.normal(*weight.shape) / weight.shape[-1] ** 0.5)
    return layer


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Let modules draw their first weights from a seed; torch's own state is left as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield
