"""Gradient clipping: a gradient that is too large is scaled down before it reaches the weights."""

import math
from collections.abc import Sequence

from torch import nn


def clip_gradients(weights: Sequence[nn.Parameter], norm: float, value: float) -> float:
    """Shorten the gradient to a norm, then cut each of its numbers to a size; 0 does neither.

    Return the norm that it had before.
    """
    before = nn.utils.clip_grad_norm_(weights, norm or math.inf).item()
    if value:
        nn.utils.clip_grad_value_(weights, value)
    return before
