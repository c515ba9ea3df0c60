"""Relative position bias: a learned number for each distance, added to the attention score.

For head h, query i and key j the score gains b[h, j - i]; offsets beyond the reach share the last
number. Nothing is added to the embeddings, so a sentence means the same wherever it begins.

A network that must first find out that neighbours matter, and that the nth word of a translation
has to do with about the nth word of the source, spends much of a short training on that. So the
numbers can begin with it: heads look back, ahead, or around, and learn from there.
"""

from abc import ABC, abstractmethod

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

PREFERENCE = 2.0
"""The first bias of a head for the neighbour it attends to: e² times the weight."""


class PositionBias(nn.Module, ABC):
    """A position bias: added to attention scores, before the softmax, by query and key position."""

    @abstractmethod
    def forward(
        self, q: Float[Tensor, "b h t k"], queries: Int[Tensor, "#b #t"], keys: Int[Tensor, "#b s"]
    ) -> Float[Tensor, "#b h #t s"]:
        """Return the bias of each head for queries and keys at these positions."""


def relative_positions(
    queries: Int[Tensor, "#b t"], keys: Int[Tensor, "#b s"]
) -> Int[Tensor, "#b t s"]:
    """Return the relative position of each key: how far it stands after each query."""
    return keys.unsqueeze(-2) - queries.unsqueeze(-1)


class RelativePositionBias(PositionBias):
    """Relative position bias: one learned number for each head and offset from query to key."""

    def __init__(self, heads: int, reach: int) -> None:
        super().__init__()
        self.reach = reach
        self.table = nn.Parameter(torch.zeros(heads, 2 * reach + 1))

    def forward(
        self, q: Float[Tensor, "b h t k"], queries: Int[Tensor, "#b #t"], keys: Int[Tensor, "#b s"]
    ) -> Float[Tensor, "#b h #t s"]:
        """Return each head's number for each offset."""
        offset = relative_positions(queries, keys).clamp(-self.reach, self.reach)
        return self.table[:, offset + self.reach].transpose(0, 1)

    @torch.no_grad()
    def initialize_bidirectional(self) -> None:
        """Start with heads that attend to the key before, the key after, nearby, and anywhere."""
        offset = self._offsets()
        near = -offset.abs() / 2
        patterns = (PREFERENCE * (offset == -1), PREFERENCE * (offset == 1), near, 0 * near)
        self._begin_with(patterns)

    @torch.no_grad()
    def initialize_causal(self) -> None:
        """Start with heads that attend to themselves, the key before, nearby, and anywhere."""
        offset = self._offsets()
        near = -offset.abs() / 2
        patterns = (PREFERENCE * (offset == 0), PREFERENCE * (offset == -1), near, 0 * near)
        self._begin_with(patterns)

    @torch.no_grad()
    def initialize_cross(self) -> None:
        """Start cross-attention near the diagonal, some heads more narrowly than others."""
        away = self._offsets().abs()
        self._begin_with((-away, -away / 2, -away / 4, -away / 8))

    def _offsets(self) -> Float[Tensor, " n"]:
        return torch.arange(-self.reach, self.reach + 1, dtype=self.table.dtype)

    def _begin_with(self, patterns: tuple[Tensor, ...]) -> None:
        for head, row in enumerate(self.table):
            row.copy_(patterns[head % len(patterns)])
