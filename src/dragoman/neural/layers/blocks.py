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
from dragoman.neural.layers.kv_cache import Past
from dragoman.neural.layers.norms import NormKind, build_norm

NormPlace = Literal["pre", "post", "none"]

Source = tuple[Float[Tensor, "m g s k"], Float[Tensor, "m g s w"]]
"""Keys and values of the source positions, once for each of m sources."""


@dataclass(frozen=True, slots=True)
class VisiblePast:
    """What the queries of a step see of the past, where they and the keys stand.

    Without places they stand at 0, 1, …; without a mask all keys are seen.
    """

    places: Int[Tensor, "#b t"] | None = None
    key_places: Int[Tensor, "#b n"] | None = None
    mask: Bool[Tensor, "#b t n"] | None = None


ALL = VisiblePast()


@dataclass(frozen=True, slots=True)
class Company:
    """Rows of a step that have begun at the same time, and all that they look at."""

    count: int
    past: Past | None
    rows: Int[Tensor, " b"] | None
    """The row of the past that each row goes on from, where that is not its own."""
    source: Source
    mask: Bool[Tensor, "m 1 s"] | None
    seen: VisiblePast = ALL


class Residual(nn.Module):
    """The path around a part, and the norm that goes with it."""

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
        """Add what the part makes of x to x."""
        if self.place == "pre":
            return x + self.dropout(part(self.norm(x)))
        return self.norm(x + self.dropout(part(x)))


class _SelfLayer(nn.Module):
    """Positions look at each other, then each thinks by itself."""

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
    """Every source position looks at all the others, then thinks by itself."""

    def forward(
        self, x: Float[Tensor, "b s d"], mask: Bool[Tensor, "#b #s s"] | None
    ) -> Float[Tensor, "b s d"]:
        """Read a source further."""
        x = self.around_attention(x, lambda y: self.attention(y, y, mask))
        return self.around_feed_forward(x, self.feed_forward)


class CausalLayer(_SelfLayer):
    """Every position looks back at its own past, then thinks by itself."""

    def forward(
        self, x: Float[Tensor, "b n d"], mask: Bool[Tensor, "b n n"] | None = None
    ) -> Float[Tensor, "b n d"]:
        """Read a whole sequence at once, each position seeing only its past.

        A mask says instead what each sees of it, where a row holds several texts.
        """
        return self.read(x, mask)[0]

    def read(
        self, x: Float[Tensor, "b n d"], mask: Bool[Tensor, "b n n"] | None = None
    ) -> tuple[Float[Tensor, "b n d"], Past]:
        """Read a whole sequence; return it with the past that the next position will look at."""
        kept: list[Past] = []

        def look_back(y: Tensor) -> Tensor:
            mixed, offered = self.attention.look_within(y, mask, causal=mask is None)
            kept.append(Past.of(offered))
            return mixed

        x = self.around_attention(x, look_back)
        return self.around_feed_forward(x, self.feed_forward), kept[0]

    def step(
        self,
        x: Float[Tensor, "b t d"],
        past: Past,
        rows: Int[Tensor, " b"] | None,
        seen: VisiblePast,
    ) -> tuple[Float[Tensor, "b t d"], Past]:
        """Read on; `rows` names the row of the past that each row goes on from.

        It is one position while writing, and several where a long prompt is read in portions.
        """
        look_back = LookingBack(self.attention, past, rows, seen)
        x = self.around_attention(x, look_back)
        return self.around_feed_forward(x, self.feed_forward), look_back.grown


class DecoderLayer(nn.Module):
    """Every target position looks back at its own past, then at the source, then thinks."""

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
        past: Past | None,
        rows: Int[Tensor, " b"] | None,
        source: Source,
        mask: Bool[Tensor, "m 1 s"] | None,
        seen: VisiblePast = ALL,
    ) -> tuple[Float[Tensor, "b 1 d"], Past]:
        """Write one more position; return it with the past that the next one will look at.

        `rows` names the row of the past that each row goes on from. Rows that read the same source
        stand side by side: the source is there once, and x has a multiple of its rows.
        """
        x, grown = self.step_beside(x, [Company(len(x), past, rows, source, mask, seen)])
        return x, grown[0]

    def step_beside(
        self, x: Float[Tensor, "b 1 d"], companies: Sequence[Company]
    ) -> tuple[Float[Tensor, "b 1 d"], list[Past]]:
        """Write one more position of several companies, whose rows stand below each other."""
        counts = [one.count for one in companies]
        back = [LookingBack(self.attention, one.past, one.rows, one.seen) for one in companies]

        def look_at_source(one: Company, y: Tensor) -> Tensor:
            count = len(one.source[0])
            beside = y.view(count, len(y) // max(1, count), y.shape[2])  # m b/m d
            mixed = self.source_attention.look(beside, one.source, one.mask, places=one.seen.places)
            return mixed.view(y.shape)

        def each_looks_back(y: Tensor) -> Tensor:
            parts = y.split(counts)
            return below([look(part) for look, part in zip(back, parts, strict=True)])

        def each_looks_at_its_source(y: Tensor) -> Tensor:
            parts = zip(companies, y.split(counts), strict=True)
            return below([look_at_source(one, part) for one, part in parts])

        x = self.around_attention(x, each_looks_back)
        x = self.around_source_attention(x, each_looks_at_its_source)
        return self.around_feed_forward(x, self.feed_forward), [one.grown for one in back]


def below(parts: Sequence[Tensor]) -> Tensor:
    """Put rows below each other."""
    return parts[0] if len(parts) == 1 else torch.cat(tuple(parts))


class LookingBack:
    """Self-attention of more positions, which keeps the past grown by them."""

    grown: Past

    def __init__(
        self, attention: Attention, past: Past | None, rows: Tensor | None, seen: VisiblePast
    ) -> None:
        self.attention = attention
        self.past = past
        self.rows = rows
        self.seen = seen

    def __call__(self, y: Float[Tensor, "b t d"]) -> Float[Tensor, "b t d"]:
        """Look at the past and at oneself."""
        seen = self.seen
        asked, new = self.attention.ask_and_offer(y, seen.places)
        self.grown = Past.of(new) if self.past is None else self.past.grown(self.rows, new)
        return self.attention.mix(
            asked, self.grown.offered, seen.mask, places=seen.places, key_places=seen.key_places
        )
