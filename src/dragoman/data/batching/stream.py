"""An endless stream of batches that can begin at any place, prepared one step ahead."""

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, Full, Queue
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dragoman.config.batches import BatchSettings
from dragoman.core.errors import DataError
from dragoman.data.batching.batch import Batch, make_batch
from dragoman.data.batching.plan import Lengths, Plan, epoch_plan
from dragoman.data.batching.store import Ids, TokenStore

AHEAD = 4
"""Batches that wait, ready, while the network computes."""

PATIENCE = 0.1
"""Seconds between two looks at whether the other side has gone."""

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


@dataclass(frozen=True)
class Position:
    """A place between two batches: those before `index` of this epoch are done."""

    epoch: int = 0
    index: int = 0


Item = tuple[Batch, Position] | BaseException


class BatchStream:
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

    def plan(self, epoch: int) -> Plan:
        """Return the plan of an epoch; refuse one without batches."""
        plan = epoch_plan(*self._lengths(epoch), self.settings, self.seed, epoch)
        if not len(plan):
            raise DataError(
                f"no example is left to train on: {plan.left_out} are longer than "
                f"batches.longest = {self.settings.longest} tokens. Raise it."
            )
        return plan

    def at(self, position: Position) -> Generator[tuple[Batch, Position], None, None]:
        """Yield each batch with the position after it, endlessly, from any position on.

        A thread prepares the next few batches meanwhile; closing the iterator ends it.
        """
        ready: Queue[Item] = Queue(AHEAD)
        stopped = threading.Event()
        worker = threading.Thread(
            target=self._prepare, args=(position, ready, stopped), name="batches", daemon=True
        )
        worker.start()
        try:
            while True:
                item = ready.get()
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            stopped.set()
            with suppress(Empty):
                ready.get_nowait()  # makes room, so that the worker looks up at once
            worker.join()

    def _prepare(self, position: Position, ready: Queue[Item], stopped: threading.Event) -> None:
        try:
            for item in self._batches(position):
                if not _put(ready, item, stopped):
                    return
        except BaseException as error:  # whatever it is, it belongs to the one who waits
            _put(ready, error, stopped)

    def _batches(self, position: Position) -> Iterator[tuple[Batch, Position]]:
        epoch, index = position.epoch, position.index
        while True:
            plan = self.plan(epoch)
            for number in range(index, len(plan)):
                last = number + 1 == len(plan)
                after = Position(epoch + 1, 0) if last else Position(epoch, number + 1)
                yield self._batch(plan, number, epoch), after
            epoch, index = epoch + 1, 0

    def _batch(self, plan: Plan, number: int, epoch: int) -> Batch:
        examples = plan[number]
        return make_batch([self._example(int(i), epoch) for i in examples], examples)

    def _example(self, index: int, epoch: int) -> tuple[Sequence[int] | Ids, Sequence[int] | Ids]:
        source, target = self._changed(index, epoch)
        if self.resegment is None:
            return source, target
        other = self.resegment(source, target, epoch, index)
        # Smaller pieces are more pieces; the network may have no positions beyond the longest.
        return other if max(map(len, other)) <= self.settings.longest else (source, target)

    def _changed(self, index: int, epoch: int) -> tuple[Ids, Ids]:
        source, target = self.store.example(index)
        if self.changes is None:
            return source, target
        other = self.changes(source, target, epoch, index)
        return other if max(map(len, other)) <= self.settings.longest else (source, target)

    def _lengths(self, epoch: int) -> tuple[Lengths, Lengths]:
        """Return what the examples of an epoch measure: one wide row makes its whole batch wide."""
        source, target = self.store.source_lengths, self.store.target_lengths
        if self.changes is not None:
            source, target = np.array(source), np.array(target)
            for index in self.changes.changed(epoch).tolist():
                source[index], target[index] = map(len, self._changed(index, epoch))
        return source, target


def _put(ready: Queue[Item], item: Item, stopped: threading.Event) -> bool:
    """Wait for a free place; False when nobody wants it any more."""
    while not stopped.is_set():
        try:
            ready.put(item, timeout=PATIENCE)
        except Full:
            continue
        return True
    return False
