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
"""How much more a head begins with for the neighbour it looks at: e² times the weight."""


class ScoreGain(nn.Module, ABC):
    """What the scores of attention gain, before the softmax, for where query and key stand."""

    @abstractmethod
    def forward(
        self,
        q: Float[Tensor, "b h t k"],
        queries: Int[Tensor, "#b #t"],
        keys: Int[Tensor, "#b s"],
    ) -> Float[Tensor, "#b h #t s"]:
        """Return the gains of queries and keys that stand at these places."""


def offsets(queries: Int[Tensor, "#b t"], keys: Int[Tensor, "#b s"]) -> Int[Tensor, "#b t s"]:
    """Return how far each key stands after each query."""
    return keys.unsqueeze(-2) - queries.unsqueeze(-1)


class OffsetBias(ScoreGain):
    """One learned number for each head and each offset from query to key."""

    def __init__(self, heads: int, reach: int) -> None:
        super().__init__()
        self.reach = reach
        self.table = nn.Parameter(torch.zeros(heads, 2 * reach + 1))

    def forward(
        self,
        q: Float[Tensor, "b h t k"],
        queries: Int[Tensor, "#b #t"],
        keys: Int[Tensor, "#b s"],
    ) -> Float[Tensor, "#b h #t s"]:
        """Return each head's number for each offset."""
        offset = offsets(queries, keys).clamp(-self.reach, self.reach)
        return self.table[:, offset + self.reach].transpose(0, 1)

    @torch.no_grad()
    def look_around(self) -> None:
        """Begin with heads that look at the key before, the key after, nearby, and anywhere."""
        offset = self._offsets()
        near = -offset.abs() / 2
        patterns = (PREFERENCE * (offset == -1), PREFERENCE * (offset == 1), near, 0 * near)
        self._begin_with(patterns)

    @torch.no_grad()
    def look_back(self) -> None:
        """Begin with heads that look at their own place, the one before, nearby, and anywhere."""
        offset = self._offsets()
        near = -offset.abs() / 2
        patterns = (PREFERENCE * (offset == 0), PREFERENCE * (offset == -1), near, 0 * near)
        self._begin_with(patterns)

    @torch.no_grad()
    def look_across(self) -> None:
        """Begin with heads that look near the diagonal, some more narrowly than others."""
        away = self._offsets().abs()
        self._begin_with((-away, -away / 2, -away / 4, -away / 8))

    def _offsets(self) -> Float[Tensor, " n"]:
        return torch.arange(-self.reach, self.reach + 1, dtype=self.table.dtype)

    def _begin_with(self, patterns: tuple[Tensor, ...]) -> None:
        for head, row in enumerate(self.table):
            row.copy_(patterns[head % len(patterns)])
