"""Telling a Transformer where a token stands, by a vector added to its embedding.

Sinusoids (Vaswani et al. 2017, section 3.5): for pair i of the d components,
the sine and the cosine of position / 10000^(2i/d). The exponent is 2i/d for both: only then does
the dot product of two positions depend on nothing but their distance.
"""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from dragoman.core.errors import DataError


def sinusoids(
    positions: int, width: int, layout: Literal["interleaved", "halves"]
) -> Float[Tensor, "n d"]:
    """Return the table of sines and cosines, in float64 so that late positions stay exact."""
    exponent = torch.arange(0, width, 2, dtype=torch.float64) / width
    angle = torch.arange(positions, dtype=torch.float64)[:, None] / 10000.0**exponent  # n d/2
    pair = (angle.sin(), angle.cos())
    return torch.stack(pair, dim=-1).flatten(1) if layout == "interleaved" else torch.cat(pair, 1)


class SinusoidalPositions(nn.Module):
    """Fixed waves; defined for any position, with nothing to learn.

    The table is made when it is first needed, and again for more positions, another device or
    another type. It is no buffer: converting a model to fewer digits and back must not blur it.
    """

    def __init__(self, width: int, layout: Literal["interleaved", "halves"]) -> None:
        super().__init__()
        self.width = width
        self.layout = layout
        self.table = torch.empty(0, width)

    def forward(self, x: Float[Tensor, "b n d"], start: int = 0) -> Float[Tensor, "b n d"]:
        """Add positions start, start+1, … to x."""
        end = start + x.shape[1]
        table = self.table
        if end > len(table) or table.device != x.device or table.dtype != x.dtype:
            table = sinusoids(max(256, 2 * end), self.width, self.layout).to(x.device, x.dtype)
            self.table = table
        return x + table[start:end]


class LearnedPositions(nn.Module):
    """A learned vector for each position up to a limit."""

    def __init__(self, width: int, longest: int) -> None:
        super().__init__()
        self.table = nn.Embedding(longest, width)

    def forward(self, x: Float[Tensor, "b n d"], start: int = 0) -> Float[Tensor, "b n d"]:
        """Add positions start, start+1, … to x."""
        end = start + x.shape[1]
        if end > self.table.num_embeddings:
            raise DataError(
                f"a sequence of {end} tokens is longer than the {self.table.num_embeddings} "
                "positions that were learned. Raise model.longest or use sinusoidal positions."
            )
        return x + self.table.weight[start:end]


class NoPositions(nn.Module):
    """Nothing is added: attention tells positions by itself, or not at all."""

    def forward(self, x: Float[Tensor, "b n d"], start: int = 0) -> Float[Tensor, "b n d"]:
        """Return x."""
        return x
