"""From token numbers to vectors: a table, scaled, with positions and dropout."""

import math

from jaxtyping import Float, Int
from torch import Tensor, nn

from dragoman.core.errors import ConfigError
from dragoman.neural.layers.dropout import Dropout, drop


def embedding_tables(
    source_vocab_size: int, target_vocab_size: int, width: int, *, shared: bool
) -> tuple[nn.Embedding, nn.Embedding]:
    """Make the tables of source and target: two, or one that is both."""
    if shared and source_vocab_size != target_vocab_size:
        raise ConfigError(
            f"model.tied = 'all' needs one shared vocabulary, but the source has "
            f"{source_vocab_size} entries and the target {target_vocab_size}. "
            "Set tokenizer.shared = true or model.tied = 'target'."
        )
    target = nn.Embedding(target_vocab_size, width)
    return (target if shared else nn.Embedding(source_vocab_size, width)), target


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
