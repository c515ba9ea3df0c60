"""The layers of a Transformer's encoder and decoder, with the norm before or after each part.

before:  x ─┬─ norm ─ part ─ dropout ─ + ─▶      after:  x ─┬─ part ─ dropout ─ + ─ norm ─▶
            └──────────────────────────┘                    └───────────────────┘
"""

from collections.abc import Callable
from typing import Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from dragoman.neural.layers.attention import Attention, KeysValues
from dragoman.neural.layers.dropout import Dropout
from dragoman.neural.layers.feed_forward import FeedForward

NormPlace = Literal["before", "after"]


class Residual(nn.Module):
    """The path around a part, and the norm that goes with it."""

    def __init__(self, width: int, place: NormPlace, dropout: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.place = place
        self.dropout = Dropout(dropout)

    def forward(
        self, x: Float[Tensor, "b n d"], part: Callable[[Tensor], Tensor]
    ) -> Float[Tensor, "b n d"]:
        """Add what the part makes of x to x."""
        if self.place == "before":
            return x + self.dropout(part(self.norm(x)))
        return self.norm(x + self.dropout(part(x)))


class EncoderLayer(nn.Module):
    """Every source position looks at all the others, then thinks by itself."""

    def __init__(
        self, attention: Attention, feed_forward: FeedForward, place: NormPlace, dropout: float
    ) -> None:
        super().__init__()
        width = attention.query.in_features
        self.attention = attention
        self.feed_forward = feed_forward
        self.around_attention = Residual(width, place, dropout)
        self.around_feed_forward = Residual(width, place, dropout)

    def forward(
        self, x: Float[Tensor, "b s d"], mask: Bool[Tensor, "b 1 s"] | None
    ) -> Float[Tensor, "b s d"]:
        """Read a source further."""
        x = self.around_attention(x, lambda y: self.attention(y, y, mask))
        return self.around_feed_forward(x, self.feed_forward)


class DecoderLayer(nn.Module):
    """Every target position looks back at its own past, then at the source, then thinks."""

    def __init__(
        self,
        attention: Attention,
        source_attention: Attention,
        feed_forward: FeedForward,
        place: NormPlace,
        dropout: float,
    ) -> None:
        super().__init__()
        width = attention.query.in_features
        self.attention = attention
        self.source_attention = source_attention
        self.feed_forward = feed_forward
        self.around_attention = Residual(width, place, dropout)
        self.around_source_attention = Residual(width, place, dropout)
        self.around_feed_forward = Residual(width, place, dropout)

    def forward(
        self,
        x: Float[Tensor, "b t d"],
        memory: Float[Tensor, "b s d"],
        mask: Bool[Tensor, "b 1 s"] | None,
    ) -> Float[Tensor, "b t d"]:
        """Write a whole target at once, each position seeing only its past."""
        x = self.around_attention(x, lambda y: self.attention(y, y, causal=True))
        x = self.around_source_attention(x, lambda y: self.source_attention(y, memory, mask))
        return self.around_feed_forward(x, self.feed_forward)

    def step(
        self,
        x: Float[Tensor, "b 1 d"],
        past: KeysValues | None,
        source: KeysValues,
        mask: Bool[Tensor, "b 1 s"] | None,
    ) -> tuple[Float[Tensor, "b 1 d"], KeysValues]:
        """Write one more position; return it with the past that the next one will look at."""
        grown: list[KeysValues] = []

        def look_back(y: Tensor) -> Tensor:
            grown.append(_append(past, self.attention.offer(y)))
            return self.attention.look(y, grown[0])

        x = self.around_attention(x, look_back)
        x = self.around_source_attention(x, lambda y: self.source_attention.look(y, source, mask))
        return self.around_feed_forward(x, self.feed_forward), grown[0]


def _append(past: KeysValues | None, new: KeysValues) -> KeysValues:
    if past is None:
        return new
    return torch.cat((past[0], new[0]), dim=2), torch.cat((past[1], new[1]), dim=2)
