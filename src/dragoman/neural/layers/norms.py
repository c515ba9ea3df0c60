"""Bringing vectors to one size: layer norm, RMS norm and batch norm.

layer  (x - mean) / √(variance + ε) · g + b    over the width of each position (Ba et al. 2016)
RMS    x / √(mean of squares + ε) · g          the same without the mean (Zhang & Sennrich 2019)
batch  (x - mean) / √(variance + ε) · g + b    over all examples, for each feature by itself, with
                                               running averages in evaluation (Ioffe & Szegedy 2015)

Torch's fused kernels are what runs; the equations stand here, and a test keeps them equal. Batch
norm is for images: in a Transformer it would let the sentences of a batch see each other.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

NormKind = Literal["layer", "rms"]

RMS_EPSILON = 1e-6


def build_norm(kind: NormKind, width: int) -> nn.Module:
    """Return the fused norm of a kind."""
    return nn.LayerNorm(width) if kind == "layer" else nn.RMSNorm(width, eps=RMS_EPSILON)


def layer_norm_written_out(
    x: Float[Tensor, "*n d"], gain: Float[Tensor, " d"], bias: Float[Tensor, " d"], epsilon: float
) -> Float[Tensor, "*n d"]:
    """Take each position's mean away and divide by its deviation."""
    centered = x - x.mean(dim=-1, keepdim=True)
    variance = (centered**2).mean(dim=-1, keepdim=True)
    return centered / torch.sqrt(variance + epsilon) * gain + bias


def rms_norm_written_out(
    x: Float[Tensor, "*n d"], gain: Float[Tensor, " d"], epsilon: float
) -> Float[Tensor, "*n d"]:
    """Divide each position by the root of its mean square."""
    return x / torch.sqrt((x**2).mean(dim=-1, keepdim=True) + epsilon) * gain


@dataclass(frozen=True, slots=True)
class RunningStatistics:
    """Running mean and variance of batch norm."""

    mean: Float[Tensor, " d"]
    variance: Float[Tensor, " d"]

    def after(self, batch: Float[Tensor, "n d"], momentum: float) -> "RunningStatistics":
        """Move towards the mean and the (unbiased) variance of a batch by a share."""
        mean, variance = batch.mean(dim=0), batch.var(dim=0, unbiased=True)
        return RunningStatistics(
            mean=(1 - momentum) * self.mean + momentum * mean,
            variance=(1 - momentum) * self.variance + momentum * variance,
        )


def batch_norm_written_out(
    x: Float[Tensor, "n d"],
    gain: Float[Tensor, " d"],
    bias: Float[Tensor, " d"],
    epsilon: float,
    running: RunningStatistics | None = None,
) -> Float[Tensor, "n d"]:
    """Norm each feature over the batch, or by the running statistics where they are given."""
    if running is None:
        mean, variance = x.mean(dim=0), x.var(dim=0, unbiased=False)
    else:
        mean, variance = running.mean, running.variance
    return (x - mean) / torch.sqrt(variance + epsilon) * gain + bias
