"""An endless stream of sentence pairs in batches, as each epoch sees them."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dragoman.config.batches import BatchSettings
from dragoman.core.errors import DataError
from dragoman.data.batching.arrays import Ids
from dragoman.data.batching.batch import Batch, make_batch
from dragoman.data.batching.endless import Endless
from dragoman.data.batching.endless import Position as Position
from dragoman.data.batching.plan import EpochPlan, Lengths, epoch_plan
from dragoman.data.batching.store import TokenStore

Resegment = Callable[[Ids, Ids, int, int], tuple[Sequence[int] | Ids, Sequence[int] | Ids]]
"""Source and target of an example, the epoch and the example's number, to new source and target."""


class Changes(Protocol):
    """New text for some examples, so that the plan must know how long they become."""

    def changed(self, epoch: int) -> NDArray[np.integer[Any]]:
        """Return the examples that may be changed in an epoch."""
        ...

    def __call__(self, source: Ids, target: Ids, epoch: int, example: int) -> tuple[Ids, Ids]:
        """Return an example's tokens as this epoch sees them."""
        ...


class BatchStream(Endless[EpochPlan, Batch]):
    """Batches of a store, every example exactly once per epoch, in an order fixed by the seed."""

    def __init__(
        self,
        store: TokenStore,
        settings: BatchSettings,
        seed: int,
        resegment: Resegment | None = None,
        changes: Changes | None = None,
    ) -> None:
        self.store = store
        self.settings = settings
        self.seed = seed
        self.resegment = resegment
        self.changes = changes

    def plan(self, epoch: int) -> EpochPlan:
        """Return the plan of an epoch; refuse one without batches."""
        plan = epoch_plan(*self._lengths(epoch), self.settings, self.seed, epoch)
        if not len(plan):
            raise DataError(
                f"no example is left to train on: {plan.left_out} are longer than "
                f"batches.max_length = {self.settings.max_length} tokens. Raise it."
            )
        return plan

    def batch(self, plan: EpochPlan, number: int, epoch: int) -> Batch:
        """Make one batch, with what this epoch changes in its examples."""
        examples = plan[number]
        return make_batch([self._example(int(i), epoch) for i in examples], examples)

    def _example(self, index: int, epoch: int) -> tuple[Sequence[int] | Ids, Sequence[int] | Ids]:
        source, target = self._changed(index, epoch)
        if self.resegment is None:
            return source, target
        other = self.resegment(source, target, epoch, index)
        # Smaller pieces are more pieces; the network may have no positions beyond the longest.
        return other if max(map(len, other)) <= self.settings.max_length else (source, target)

    def _changed(self, index: int, epoch: int) -> tuple[Ids, Ids]:
        source, target = self.store.example(index)
        if self.changes is None:
            return source, target
        other = self.changes(source, target, epoch, index)
        return other if max(map(len, other)) <= self.settings.max_length else (source, target)

    def _lengths(self, epoch: int) -> tuple[Lengths, Lengths]:
        """Return what the examples of an epoch measure: one wide row makes its whole batch wide."""
        source, target = self.store.source_lengths, self.store.target_lengths
        if self.changes is not None:
            source, target = np.array(source), np.array(target)
            for index in self.changes.changed(epoch).tolist():
                source[index], target[index] = map(len, self._changed(index, epoch))
        return source, target
