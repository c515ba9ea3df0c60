"""The head for masked words before the output: norm(φ(Wx + b)), as BERT has it."""

from jaxtyping import Float
from torch import Tensor, nn

from dragoman.neural.layers.feed_forward import Activation
from dragoman.neural.layers.norms import NormKind, build_norm


class WordsHead(nn.Module):
    """One more layer between the last states and the output."""

    def __init__(self, width: int, activation: Activation, kind: NormKind = "layer") -> None:
        super().__init__()
        self.inner = nn.Linear(width, width)
        self.activation: nn.Module
        match activation:
            case "relu":
                self.activation = nn.ReLU()
            case "gelu-tanh":
                self.activation = nn.GELU(approximate="tanh")
            case _:  # a gate is no plain function, so GELU is in its place
                self.activation = nn.GELU()
        self.norm = build_norm(kind, width)

    def forward(self, x: Float[Tensor, "b n d"]) -> Float[Tensor, "b n d"]:
        """Transform each position."""
        return self.norm(self.activation(self.inner(x)))
