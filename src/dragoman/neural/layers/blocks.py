"""The layers of a Transformer's encoder and decoder, with the norm before or after each part.

before:  x ─┬─ norm ─ part ─ dropout ─ + ─▶      after:  x ─┬─ part ─ dropout ─ + ─ norm ─▶
            └──────────────────────────┘                    └───────────────────┘
"""

from collections.abc import Callable
from typing import Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from dragoman.neural.layers.attention import Attention
from dragoman.neural.layers.dropout import Dropout
from dragoman.neural.layers.feed_forward import FeedForward

NormPlace = Literal["before", "after"]

Past = tuple[Float[Tensor, "_ h _ k"], Float[Tensor, "_ h _ k"]]
"""Keys and values of the target positions written so far."""

Source = tuple[Float[Tensor, "m h s k"], Float[Tensor, "m h s k"]]
"""Keys and values of the source positions, once for each of m sources."""


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
        past: Past | None,
        rows: Int[Tensor, " b"] | None,
        source: Source,
        mask: Bool[Tensor, "m 1 s"] | None,
    ) -> tuple[Float[Tensor, "b 1 d"], Past]:
        """Write one more position; return it with the past that the next one will look at.

        `rows` names the row of the past that each row goes on from. Rows that read the same source
        stand side by side: the source is there once, and x has a multiple of its rows.
        """
        grown: list[Past] = []
        position = 0 if past is None else past[0].shape[2]

        def look_back(y: Tensor) -> Tensor:
            grown.append(_append(past, rows, self.attention.offer(y)))
            return self.attention.look(y, grown[0], position=position)

        def look_at_source(y: Tensor) -> Tensor:
            count = len(source[0])
            beside = y.view(count, len(y) // max(1, count), y.shape[2])  # m b/m d
            return self.source_attention.look(beside, source, mask, position=position).view(y.shape)

        x = self.around_attention(x, look_back)
        x = self.around_source_attention(x, look_at_source)
        return self.around_feed_forward(x, self.feed_forward), grown[0]


def _append(past: Past | None, rows: Tensor | None, new: Past) -> Past:
    if past is None:
        return new
    return _grown(past[0], rows, new[0]), _grown(past[1], rows, new[1])


def _grown(old: Tensor, rows: Tensor | None, new: Tensor) -> Tensor:
    """Return the named rows with one more position; the past is long, so it is copied once."""
    if rows is None:
        return torch.cat((old, new), dim=2)
    heads, length, head_width = old.shape[1:]
    grown = old.new_empty(len(rows), heads, length + 1, head_width)
    torch.index_select(old, 0, rows, out=grown[:, :, :length])
    grown[:, :, length:] = new
    return grown
