"""Dropout with cheap random bits (Srivastava et al. 2014).

On a CPU torch draws one random number per element, which costs a training step about 5 %.
One 64-bit draw decides four elements here, 16 bits each, so the rate is rounded to 1/65536 and the
kept elements are scaled by exactly the rounded rate: the mean stays what it was.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

LEVELS = 1 << 16


def drop(x: Tensor, rate: float) -> Tensor:
    """Set a share of the elements to zero at random and scale the others up."""
    if x.device.type != "cpu":
        return F.dropout(x, rate)
    dropped = round(rate * LEVELS)
    draws = torch.empty((x.numel() + 3) // 4, dtype=torch.int64)
    draws.random_(torch.iinfo(torch.int64).min, None)
    bits = draws.view(torch.int16)[: x.numel()].view(x.shape)
    keep = bits.ge(dropped - LEVELS // 2).to(x.dtype).mul_(LEVELS / (LEVELS - dropped))
    return x * keep


class Dropout(nn.Module):
    """Dropout while training; nothing otherwise."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, x: Tensor) -> Tensor:
        """Drop a share of the elements."""
        return drop(x, self.rate) if self.training and self.rate else x
