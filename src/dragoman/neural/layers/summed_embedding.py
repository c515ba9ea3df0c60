"""From token numbers to vectors as BERT has it: three are added, then brought to one size.

token ────┐
position ─┼─ + ─ norm ─ dropout ─▶
segment ──┘
"""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from dragoman.neural.layers.dropout import Dropout, drop


class SummedEmbedding(nn.Module):
    """The sum of the vectors of a token, its position and, where there are any, its segment."""

    def __init__(
        self,
        table: nn.Embedding,
        positions: nn.Module,
        segments: int,
        norm: nn.Module,
        *,
        scaled: bool,
        dropout: float,
        word_dropout: float,
    ) -> None:
        super().__init__()
        self.table = table
        self.positions = positions
        self.segments = nn.Embedding(segments, table.embedding_dim) if segments else None
        self.norm = norm
        self.scale = math.sqrt(table.embedding_dim) if scaled else 1.0
        self.dropout = Dropout(dropout)
        self.word_dropout = word_dropout

    def forward(
        self,
        tokens: Int[Tensor, "b n"],
        places: Int[Tensor, "#b n"] | None = None,
        segments: Int[Tensor, "b n"] | None = None,
    ) -> Float[Tensor, "b n d"]:
        """Embed tokens that stand at the places, or at 0, 1, 2, …

        Where no segments are given, all are of the first kind; where there are no kinds, segments
        are not looked at.
        """
        vectors = self.table(tokens) * self.scale  # b n d
        if self.training and self.word_dropout:
            vectors = vectors * drop(vectors.new_ones(*tokens.shape, 1), self.word_dropout)
        summed = self.positions(vectors, places)
        if self.segments is not None:
            summed = summed + self.segments(
                torch.zeros_like(tokens) if segments is None else segments
            )
        return self.dropout(self.norm(summed))
