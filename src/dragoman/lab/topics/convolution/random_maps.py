"""Random images and weights for the checks: seeded, and whole numbers where sums must be exact."""

from typing import TypeVar

import torch
from torch import Tensor, nn

AnyModule = TypeVar("AnyModule", bound=nn.Module)


def whole_numbers(*shape: int, seed: int) -> Tensor:
    """Return small whole numbers in float64, with which sums are exact in any order."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(-9, 10, shape, generator=generator).double()


@torch.no_grad()
def with_whole_numbers(module: AnyModule, seed: int) -> AnyModule:
    """Give a module weights that are small whole numbers."""
    module.double()
    for number, weight in enumerate(module.parameters()):
        weight.copy_(whole_numbers(*weight.shape, seed=seed + 1000 * (number + 1)))
    return module
