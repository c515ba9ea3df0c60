"""The layers of a Transformer, with the norm before or after each part, or without one.

before:  x ─┬─ norm ─ part ─ dropout ─ + ─▶      after:  x ─┬─ part ─ dropout ─ + ─ norm ─▶
            └──────────────────────────┘                    └───────────────────┘
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from dragoman.neural.layers.attention import Attention
from dragoman.neural.layers.dropout import Dropout
from dragoman.neural.layers.feed_forward import AnyFeedForward
from dragoman.neural.layers.kv_cache import KVCache
from dragoman.neural.layers.norms import NormKind, build_norm

NormPlace = Literal["pre", "post", "none"]

Source = tuple[Float[Tensor, "m g s k"], Float[Tensor, "m g s w"]]
"""Keys and values of the source positions, once for each of m sources."""


@dataclass(frozen=True, slots=True)
class Positions:
    """Positions of the queries and cached keys of a step, and the attention mask between them.

    Without places they stand at 0, 1, …; without a mask all keys are visible.
    """

    places: Int[Tensor, "#b t"] | None = None
    key_places: Int[Tensor, "#b n"] | None = None
    mask: Bool[Tensor, "#b t n"] | None = None


ALL = Positions()


@dataclass(frozen=True, slots=True)
class BatchRows:
    """Batch rows of a step that began at the same time, with all that they attend to."""

    count: int
    cache: KVCache | None
    rows: Int[Tensor, " b"] | None
    """The cache row that each row continues, where that is not its own."""
    source: Source
    mask: Bool[Tensor, "m 1 s"] | None
    positions: Positions = ALL


class Residual(nn.Module):
    """The residual connection around a sublayer, and its norm."""

    def __init__(
        self, width: int, place: NormPlace, dropout: float, kind: NormKind = "layer"
    ) -> None:
        super().__init__()
        self.norm = nn.Identity() if place == "none" else build_norm(kind, width)
        self.place = place
        self.dropout = Dropout(dropout)

    def forward(
        self, x: Float[Tensor, "b n d"], part: Callable[[Tensor], Tensor]
    ) -> Float[Tensor, "b n d"]:
        """Add the output of the sublayer to x."""
        if self.place == "pre":
            return x + self.dropout(part(self.norm(x)))
        return self.norm(x + self.dropout(part(x)))


class _SelfLayer(nn.Module):
    """Self-attention, then the feed-forward network of each position."""

    def __init__(
        self,
        attention: Attention,
        feed_forward: AnyFeedForward,
        place: NormPlace,
        dropout: float,
        kind: NormKind = "layer",
    ) -> None:
        super().__init__()
        width = attention.query.in_features
        self.attention = attention
        self.feed_forward = feed_forward
        self.around_attention = Residual(width, place, dropout, kind)
        self.around_feed_forward = Residual(width, place, dropout, kind)


class EncoderLayer(_SelfLayer):
    """A Transformer encoder layer: bidirectional self-attention, then the feed-forward network."""

    def forward(
        self, x: Float[Tensor, "b s d"], mask: Bool[Tensor, "#b #s s"] | None
    ) -> Float[Tensor, "b s d"]:
        """Return the next states of a source."""
        x = self.around_attention(x, lambda y: self.attention(y, y, mask))
        return self.around_feed_forward(x, self.feed_forward)


class CausalLayer(_SelfLayer):
    """A causal layer: self-attention to earlier positions, then the feed-forward network."""

    def forward(
        self, x: Float[Tensor, "b n d"], mask: Bool[Tensor, "b n n"] | None = None
    ) -> Float[Tensor, "b n d"]:
        """Read a whole sequence at once, each position seeing only its past.

        A mask says instead what each sees of it, where a row holds several texts.
        """
        return self.read(x, mask)[0]

    def read(
        self, x: Float[Tensor, "b n d"], mask: Bool[Tensor, "b n n"] | None = None
    ) -> tuple[Float[Tensor, "b n d"], KVCache]:
        """Read a whole sequence; return its states and the KV cache for the next position."""
        kept: list[KVCache] = []

        def self_attention(y: Tensor) -> Tensor:
            mixed, keys_values = self.attention.self_attention(y, mask, causal=mask is None)
            kept.append(KVCache.of(keys_values))
            return mixed

        x = self.around_attention(x, self_attention)
        return self.around_feed_forward(x, self.feed_forward), kept[0]

    def step(
        self,
        x: Float[Tensor, "b t d"],
        cache: KVCache,
        rows: Int[Tensor, " b"] | None,
        positions: Positions,
    ) -> tuple[Float[Tensor, "b t d"], KVCache]:
        """Read on with a KV cache; `rows` names the cache row that each row continues.

        It is one position while writing, and several where a long prompt is read in portions.
        """
        self_attention = CachedAttention(self.attention, cache, rows, positions)
        x = self.around_attention(x, self_attention)
        return self.around_feed_forward(x, self.feed_forward), self_attention.extended


class DecoderLayer(nn.Module):
    """A decoder layer: causal self-attention, cross-attention to the source, feed-forward."""

    def __init__(
        self,
        attention: Attention,
        source_attention: Attention,
        feed_forward: AnyFeedForward,
        place: NormPlace,
        dropout: float,
        kind: NormKind = "layer",
    ) -> None:
        super().__init__()
        width = attention.query.in_features
        self.attention = attention
        self.source_attention = source_attention
        self.feed_forward = feed_forward
        self.around_attention = Residual(width, place, dropout, kind)
        self.around_source_attention = Residual(width, place, dropout, kind)
        self.around_feed_forward = Residual(width, place, dropout, kind)

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
        cache: KVCache | None,
        rows: Int[Tensor, " b"] | None,
        source: Source,
        mask: Bool[Tensor, "m 1 s"] | None,
        positions: Positions = ALL,
    ) -> tuple[Float[Tensor, "b 1 d"], KVCache]:
        """Write one more position; return its state and the KV cache for the next one.

        `rows` names the cache row that each row continues. Rows that read the same source stand
        side by side: the source is there once, and x has a multiple of its rows.
        """
        x, extended = self.step_groups(x, [BatchRows(len(x), cache, rows, source, mask, positions)])
        return x, extended[0]

    def step_groups(
        self, x: Float[Tensor, "b 1 d"], groups: Sequence[BatchRows]
    ) -> tuple[Float[Tensor, "b 1 d"], list[KVCache]]:
        """Write one more position of several groups of batch rows, stacked in one batch."""
        counts = [one.count for one in groups]
        attentions = [
            CachedAttention(self.attention, one.cache, one.rows, one.positions) for one in groups
        ]

        def attend_to_source(one: BatchRows, y: Tensor) -> Tensor:
            count = len(one.source[0])
            queries = y.view(count, len(y) // max(1, count), y.shape[2])  # m b/m d
            mixed = self.source_attention.attend_to(
                queries, one.source, one.mask, places=one.positions.places
            )
            return mixed.view(y.shape)

        def self_attention(y: Tensor) -> Tensor:
            parts = y.split(counts)
            return stack_rows(
                [attend(part) for attend, part in zip(attentions, parts, strict=True)]
            )

        def cross_attention(y: Tensor) -> Tensor:
            parts = zip(groups, y.split(counts), strict=True)
            return stack_rows([attend_to_source(one, part) for one, part in parts])

        x = self.around_attention(x, self_attention)
        x = self.around_source_attention(x, cross_attention)
        return self.around_feed_forward(x, self.feed_forward), [one.extended for one in attentions]


def stack_rows(parts: Sequence[Tensor]) -> Tensor:
    """Concatenate batch rows."""
    return parts[0] if len(parts) == 1 else torch.cat(tuple(parts))


class CachedAttention:
    """Self-attention with a KV cache, which it extends by the new positions."""

    extended: KVCache

    def __init__(
        self, attention: Attention, cache: KVCache | None, rows: Tensor | None, positions: Positions
    ) -> None:
        self.attention = attention
        self.cache = cache
        self.rows = rows
        self.positions = positions

    def __call__(self, y: Float[Tensor, "b t d"]) -> Float[Tensor, "b t d"]:
        """Attend to the cached positions and to the new ones."""
        positions = self.positions
        q, new = self.attention.project_qkv(y, positions.places)
        self.extended = KVCache.of(new) if self.cache is None else self.cache.extend(self.rows, new)
        return self.attention.attend_queries(
            q,
            self.extended.keys_values,
            positions.mask,
            places=positions.places,
            key_places=positions.key_places,
        )
