"""From token numbers to vectors: a table, scaled, with positions and dropout."""

import math

from jaxtyping import Float, Int
from torch import Tensor, nn

from dragoman.neural.layers.dropout import Dropout, drop


class TokenEmbedding(nn.Module):
    """Look tokens up in a table, scale by √d, and say where they stand."""

    def __init__(
        self, table: nn.Embedding, positions: nn.Module, *, dropout: float, word_dropout: float
    ) -> None:
        super().__init__()
        self.table = table
        self.positions = positions
        self.scale = math.sqrt(table.embedding_dim)
        self.dropout = Dropout(dropout)
        self.word_dropout = word_dropout

    def forward(
        self, tokens: Int[Tensor, "b n"], places: Int[Tensor, "#b n"] | None = None
    ) -> Float[Tensor, "b n d"]:
        """Embed tokens that stand at the places, or at 0, 1, 2, …"""
        vectors = self.table(tokens) * self.scale  # b n d
        if self.training and self.word_dropout:
            kept = drop(vectors.new_ones(*tokens.shape, 1), self.word_dropout)
            vectors = vectors * kept
        return self.dropout(self.positions(vectors, places))
