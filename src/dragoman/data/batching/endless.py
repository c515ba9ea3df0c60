"""Batches without end, epoch after epoch, prepared ahead; the stream can begin at any place."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Sized
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, Full, Queue
from typing import Generic, TypeVar

AHEAD = 4
"""Batches that wait, ready, while the network computes."""

PATIENCE = 0.1
"""Seconds between two looks at whether the other side has gone."""


@dataclass(frozen=True)
class Position:
    """A place between two batches: those before `index` of this epoch are done."""

    epoch: int = 0
    index: int = 0


Planned = TypeVar("Planned", bound=Sized)
Made = TypeVar("Made")


class Endless(ABC, Generic[Planned, Made]):
    """A stream of batches: for each epoch a plan, which is a pure function of its number."""

    @abstractmethod
    def plan(self, epoch: int) -> Planned:
        """Return which examples stand in which batch; there is at least one batch."""

    @abstractmethod
    def batch(self, plan: Planned, number: int, epoch: int) -> Made:
        """Make one batch of a plan."""

    def at(self, position: Position) -> Generator[tuple[Made, Position], None, None]:
        """Yield each batch with the position after it, endlessly, from any position on.

        A thread prepares the next few batches meanwhile; closing the iterator ends it.
        """
        ready: Queue[tuple[Made, Position] | BaseException] = Queue(AHEAD)
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

    def _prepare(
        self,
        position: Position,
        ready: "Queue[tuple[Made, Position] | BaseException]",
        stopped: threading.Event,
    ) -> None:
        try:
            for item in self._batches(position):
                if not _put(ready, item, stopped):
                    return
        except BaseException as error:  # whatever it is, it belongs to the one who waits
            _put(ready, error, stopped)

    def _batches(self, position: Position) -> Iterator[tuple[Made, Position]]:
        epoch, index = position.epoch, position.index
        while True:
            plan = self.plan(epoch)
            for number in range(index, len(plan)):
                last = number + 1 == len(plan)
                after = Position(epoch + 1, 0) if last else Position(epoch, number + 1)
                yield self.batch(plan, number, epoch), after
            epoch, index = epoch + 1, 0


Item = TypeVar("Item")


def _put(ready: "Queue[Item]", item: Item, stopped: threading.Event) -> bool:
    """Wait for a free place; False when nobody wants it any more."""
    while not stopped.is_set():
        try:
            ready.put(item, timeout=PATIENCE)
        except Full:
            continue
        return True
    return False
