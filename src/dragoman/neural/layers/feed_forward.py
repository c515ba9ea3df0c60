"""The feed-forward of a Transformer: each position by itself through one wide hidden layer."""

from typing import Literal

from jaxtyping import Float
from torch import Tensor, nn

from dragoman.neural.layers.dropout import Dropout

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "gelu": nn.GELU}


class FeedForward(nn.Module):
    """W₂ φ(W₁x + b₁) + b₂."""

    def __init__(
        self,
        width: int,
        inner_width: int,
        *,
        activation: Literal["relu", "gelu"] = "relu",
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.inner = nn.Linear(width, inner_width)
        self.activation = ACTIVATIONS[activation]()
        self.dropout = Dropout(dropout)
        self.output = nn.Linear(inner_width, width)

    def forward(self, x: Float[Tensor, "b n d"]) -> Float[Tensor, "b n d"]:
        """Transform each position."""
        return self.output(self.dropout(self.activation(self.inner(x))))
