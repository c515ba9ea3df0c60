"""A search among a few of the target's tokens: those that a batch's sources make likely.

Most of a vocabulary has nothing to do with a given source, and scoring it is much of the work of
decoding. So the tokens that may come are picked before the search, which then knows only these and
numbers them anew; a `Narrowed` model speaks in the new numbers.
"""

from collections.abc import Sequence
from typing import Generic

import torch
from jaxtyping import Float, Int
from torch import Tensor

from dragoman.neural.decoding.protocol import Bounded, NextToken, State


class Shortlist:
    """For each source token the target tokens that it makes likely, and those of any source."""

    def __init__(self, likely: Int[Tensor, "u c"], always: Int[Tensor, " a"]) -> None:
        self.likely = likely
        """Filled up with -1."""
        self.always = always

    def entries(self, source: Int[Tensor, "b s"], also: Sequence[int] = ()) -> Int[Tensor, " n"]:
        """Return the target tokens that may come for a batch of sources, in order."""
        likely = self.likely[source.cpu().unique()].flatten()
        wanted = torch.tensor(also, dtype=torch.long)
        return torch.cat((likely[likely >= 0], self.always, wanted)).unique()


class ShortlistModel(Generic[State]):
    """A model whose output has only the kept tokens, and which is told tokens by their place."""

    def __init__(self, model: NextToken[State], kept: Int[Tensor, " n"]) -> None:
        self.model = model
        self.kept = kept

    def begin(self, source: Int[Tensor, "b s"]) -> State:
        """Read the sources, whose tokens keep their numbers."""
        return self.model.begin(source)

    def step(self, tokens: Int[Tensor, " n"], state: State) -> tuple[Float[Tensor, "n v"], State]:
        """Append one kept token to each row; the next one is among the kept."""
        return self.model.step(self.kept[tokens], state)

    def reorder(self, state: State, rows: Int[Tensor, " m"]) -> State:
        """Select, repeat or drop rows of a state."""
        return self.model.reorder(state, rows)

    def room(self, source: Int[Tensor, "b s"]) -> Int[Tensor, " b"] | None:
        """Return how many steps may follow each source."""
        return self.model.room(source) if isinstance(self.model, Bounded) else None
