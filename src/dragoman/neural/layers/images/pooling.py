"""Pooling: of each small window of a map only its largest value, or its mean.

    max       y = x at the first place of the window, in reading order, where x is largest
    average   y = Σ x / (places of the window)

The slope of a maximum goes to that one place and to no other, so of several equal ones the first
has it all; a mean shares its slope evenly. Padding counts as minus infinity for a maximum and as
zeros for a mean. Torch's kernels are what runs; a test keeps them equal.
"""

import math

from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F


def windows(
    x: Float[Tensor, "b c h w"], kernel: int, stride: int, padding: int, outside: float
) -> Float[Tensor, "b c m n k"]:
    """Return the values in each window, in reading order."""
    x = F.pad(x, (padding, padding, padding, padding), value=outside)
    return x.unfold(2, kernel, stride).unfold(3, kernel, stride).flatten(4)


def max_pool_written_out(
    x: Float[Tensor, "b c h w"], kernel: int, stride: int, padding: int = 0
) -> Float[Tensor, "b c m n"]:
    """Keep the largest value of each window."""
    seen = windows(x, kernel, stride, padding, -math.inf)
    return seen.gather(4, seen.argmax(4, keepdim=True)).squeeze(4)


def average_pool_written_out(
    x: Float[Tensor, "b c h w"], kernel: int, stride: int, padding: int = 0
) -> Float[Tensor, "b c m n"]:
    """Keep the mean of each window."""
    return windows(x, kernel, stride, padding, 0.0).mean(4)
