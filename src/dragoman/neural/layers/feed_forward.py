"""The feed-forward of a Transformer: each position by itself through a hidden layer of its own.

relu, gelu, gelu-tanh   W₂ φ(W₁x + b₁) + b₂                    (Vaswani et al. 2017)
quick-gelu              the same with φ(x) = x · sigmoid(1.702 x), near to GELU (CLIP)
swish                   the same with φ(x) = x · sigmoid(x), also called SiLU (Marian)
swiglu                  W₂ (silu(W_g x + b_g) * (W₁x + b₁)) + b₂   (Shazeer 2020)
single                  relu(Wx + b), without a middle
"""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from dragoman.neural.layers.dropout import Dropout

Activation = Literal["relu", "gelu", "gelu-tanh", "quick-gelu", "swish", "swiglu", "single"]
Bend = Literal["relu", "gelu", "gelu-tanh", "quick-gelu", "swish"]


class QuickGelu(nn.Module):
    """x · sigmoid(1.702 x)."""

    def forward(self, x: Tensor) -> Tensor:
        """Bend each number."""
        return x * torch.sigmoid(1.702 * x)


def _bend(kind: Bend) -> nn.Module:
    match kind:
        case "relu":
            return nn.ReLU()
        case "quick-gelu":
            return QuickGelu()
        case "swish":
            return nn.SiLU()
        case _:
            return nn.GELU(approximate="tanh" if kind == "gelu-tanh" else "none")


class FeedForward(nn.Module):
    """W₂ φ(W₁x + b₁) + b₂."""

    def __init__(
        self,
        width: int,
        inner_width: int,
        *,
        activation: Bend = "relu",
        dropout: float = 0.0,
        biases: bool = True,
    ) -> None:
        super().__init__()
        self.inner = nn.Linear(width, inner_width, bias=biases)
        self.activation = _bend(activation)
        self.dropout = Dropout(dropout)
        self.output = nn.Linear(inner_width, width, bias=biases)

    def forward(self, x: Float[Tensor, "b n d"]) -> Float[Tensor, "b n d"]:
        """Transform each position."""
        return self.output(self.dropout(self.activation(self.inner(x))))


class GatedFeedForward(nn.Module):
    """W₂ (silu(W_g x) * W₁x): a gate decides how much of each inner number goes on."""

    def __init__(
        self, width: int, inner_width: int, *, dropout: float = 0.0, biases: bool = True
    ) -> None:
        super().__init__()
        self.gate = nn.Linear(width, inner_width, bias=biases)
        self.inner = nn.Linear(width, inner_width, bias=biases)
        self.dropout = Dropout(dropout)
        self.output = nn.Linear(inner_width, width, bias=biases)

    def forward(self, x: Float[Tensor, "b n d"]) -> Float[Tensor, "b n d"]:
        """Transform each position."""
        return self.output(self.dropout(F.silu(self.gate(x)) * self.inner(x)))


class SingleFeedForward(nn.Module):
    """relu(Wx + b): one matrix of the model's width."""

    def __init__(self, width: int, *, dropout: float = 0.0, biases: bool = True) -> None:
        super().__init__()
        self.output = nn.Linear(width, width, bias=biases)
        self.dropout = Dropout(dropout)

    def forward(self, x: Float[Tensor, "b n d"]) -> Float[Tensor, "b n d"]:
        """Transform each position."""
        return self.dropout(F.relu(self.output(x)))


AnyFeedForward = FeedForward | GatedFeedForward | SingleFeedForward


def build_feed_forward(
    activation: Activation, width: int, inner_width: int, *, dropout: float, biases: bool
) -> AnyFeedForward:
    """Return the feed-forward of a kind."""
    match activation:
        case "swiglu":
            return GatedFeedForward(width, inner_width, dropout=dropout, biases=biases)
        case "single":
            return SingleFeedForward(width, dropout=dropout, biases=biases)
        case _:
            return FeedForward(
                width, inner_width, activation=activation, dropout=dropout, biases=biases
            )
