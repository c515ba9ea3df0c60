"""The hidden state of a recurrent network between two positions."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor


@dataclass(frozen=True, slots=True)
class RecurrentState:
    """The state h, and the memory c where a cell has one, of all layers; never changed in place.

    The first size counts layers; where there are two directions, layer 0 onward, layer 0 backward,
    layer 1 onward, and so on.
    """

    parts: tuple[Float[Tensor, "m b d"], ...]

    @property
    def hidden(self) -> Float[Tensor, "m b d"]:
        """The state h of every layer and direction."""
        return self.parts[0]

    def rows(self, index: Int[Tensor, " n"]) -> "RecurrentState":
        """Select, repeat or drop rows."""
        return RecurrentState(tuple(part.index_select(1, index) for part in self.parts))

    @classmethod
    def joined(cls, states: Sequence["RecurrentState"]) -> "RecurrentState":
        """Put the rows of states side by side."""
        every = zip(*(state.parts for state in states), strict=True)
        return cls(tuple(torch.cat(parts, dim=1) for parts in every))

    def detached(self) -> "RecurrentState":
        """Return the same numbers, through which no gradient flows back."""
        return RecurrentState(tuple(part.detach() for part in self.parts))
