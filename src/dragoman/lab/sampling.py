"""Random numbers of claims: float64, each draw from the seed of its own settings."""

import torch
from torch import Tensor


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
