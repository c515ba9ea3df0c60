"""Telling a Transformer where a token stands, by a vector added to its embedding.

Sinusoids (Vaswani et al. 2017, section 3.5): for pair i of the d components,
the sine and the cosine of position / 10000^(2i/d). The exponent is 2i/d for both: only then does
the dot product of two positions depend on nothing but their distance. The paper counts i from 0,
so the first wave turns once in 2π positions; some lectures count from 1, and all waves are slower.

Where no places are given, tokens stand at 0, 1, 2, …
"""

from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from dragoman.core.errors import DataError

Layout = Literal["interleaved", "halves"]


def sinusoids(
    positions: int, width: int, layout: Layout, first: int = 0, base: float = 10_000.0
) -> Float[Tensor, "n d"]:
    """Return the table of sines and cosines, in float64 so that late positions stay exact."""
    exponent = (torch.arange(0, width, 2, dtype=torch.float64) + 2 * first) / width
    angle = torch.arange(positions, dtype=torch.float64)[:, None] / base**exponent  # n d/2
    pair = (angle.sin(), angle.cos())
    return torch.stack(pair, dim=-1).flatten(1) if layout == "interleaved" else torch.cat(pair, 1)


class Waves:
    """A table of sinusoids as long as it has to be.

    It is made when it is first needed, and again for more positions, another device or another
    type. It is no buffer: converting a model to fewer digits and back must not blur it.
    """

    def __init__(self, width: int, layout: Layout, first: int = 0, base: float = 10_000.0) -> None:
        self.width = width
        self.layout = layout
        self.first = first
        self.base = base
        self.table = torch.empty(0, width)

    def at(self, places: Tensor | None, count: int, like: Tensor) -> Float[Tensor, "#b n d"]:
        """Return the rows of some places, or of the first `count`, with the type of `like`."""
        end = _end(places, count)
        table = self.table
        if end > len(table) or table.device != like.device or table.dtype != like.dtype:
            with torch.inference_mode(False):  # a table made while translating serves training too
                rows = max(256, 2 * end)
                waves = sinusoids(rows, self.width, self.layout, self.first, self.base)
                table = waves.to(like.device, like.dtype)
            self.table = table
        return table[None, :count] if places is None else table[places]


def _end(places: Tensor | None, count: int) -> int:
    """Return how many positions a table must have for some places, or for the first `count`."""
    if places is None:
        return count
    return int(places.max()) + 1 if places.numel() else 0


class SinusoidalPositions(nn.Module):
    """Fixed waves; defined for any position, with nothing to learn."""

    def __init__(self, width: int, layout: Layout, first: int = 0) -> None:
        super().__init__()
        self.waves = Waves(width, layout, first)

    def forward(
        self, x: Float[Tensor, "b n d"], places: Int[Tensor, "#b n"] | None = None
    ) -> Float[Tensor, "b n d"]:
        """Add the waves of the places to x."""
        return x + self.waves.at(places, x.shape[1], x)


class LearnedPositions(nn.Module):
    """A learned vector for each position up to a limit."""

    def __init__(self, width: int, longest: int) -> None:
        super().__init__()
        self.table = nn.Embedding(longest, width)

    def forward(
        self, x: Float[Tensor, "b n d"], places: Int[Tensor, "#b n"] | None = None
    ) -> Float[Tensor, "b n d"]:
        """Add the vectors of the places to x."""
        end = _end(places, x.shape[1])
        if end > self.table.num_embeddings:
            raise DataError(
                f"a sequence of {end} tokens is longer than the {self.table.num_embeddings} "
                "positions that were learned. Raise model.max_positions or use sinusoidal "
                "positions."
            )
        return x + (self.table.weight[:end] if places is None else self.table(places))


class NoPositions(nn.Module):
    """Nothing is added: attention tells positions by itself, or not at all."""

    def forward(
        self, x: Float[Tensor, "b n d"], places: Int[Tensor, "#b n"] | None = None
    ) -> Float[Tensor, "b n d"]:
        """Return x."""
        return x
