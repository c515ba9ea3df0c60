"""Weights must be finite numbers: NaN or infinity in one of them spoils whatever is computed."""

import math
from pathlib import Path

import torch
from torch import Tensor

from dragoman.core.errors import CheckpointError


def check_finite(tensor: Tensor, name: str, where: Path) -> Tensor:
    """Refuse a tensor that holds NaN or infinity; its smallest and largest number tell."""
    if not tensor.is_floating_point() or not tensor.numel():
        return tensor
    if not all(math.isfinite(end) for end in torch.aminmax(tensor)):
        raise CheckpointError(
            f"{where}: {name} holds numbers that are not finite (NaN or infinity). "
            "Take another copy, or an earlier checkpoint."
        )
    return tensor
