"""Dynamic batching: items of many requests, done together in passes.

What waits is taken as soon as the scheduler is free, so a lone request is not held up for company.
Under load the answers of a pass bring the next requests with them, one by one; while they are
coming they are waited for, a moment at a time.
"""

import logging
import time
from collections.abc import Callable, Hashable, Sequence

from dragoman.server.scheduler.queue import Item, QueuedLane, Result
from dragoman.server.scheduler.worker_thread import Engine

log = logging.getLogger("dragoman.server")

MOMENT, LONGEST_WAIT = 0.004, 0.06
"""Seconds without anything new after which a pass begins, and those after which it does anyway."""

EVERY_TEXT = 20
"""What a text weighs besides its characters, where characters are what is counted."""

Work = Callable[[Hashable, Sequence[Item]], list[Result]]


class BatchLane(QueuedLane[Item, Result]):
    """Does items of many requests together; items of one pass have the same key."""

    def __init__(
        self,
        engine: Engine,
        work: Work[Item, Result],
        *,
        weigh: Callable[[Item], int],
        together: int,
        most_waiting: int,
    ) -> None:
        super().__init__(engine, weigh=weigh, together=together, most_waiting=most_waiting)
        self.work = work
        self._expected = 0
        """Items of the last pass and those that waited at its end: so many may come together."""

    def turn(self) -> None:
        """Do one pass."""
        self._wait_for_company()
        taken = self._take(self.together, alike=True)
        if not taken:
            return
        items = [request.items[place] for request, place in taken]
        try:
            results = self.work(taken[0][0].key, items)
        except Exception as error:
            log.exception("a pass of %d items failed", len(items))
            for request, _ in taken:
                request.fail(error)
            return
        self.passes, self.done = self.passes + 1, self.done + len(items)
        self._expected = len(items) + self.waiting
        for (request, place), result in zip(taken, results, strict=True):
            request.put(place, result)

    def _wait_for_company(self) -> None:
        """Wait while more comes, until there is as much as is expected; one pass beats two."""
        end, waiting = time.monotonic() + LONGEST_WAIT, self.waiting
        while waiting < self._expected and time.monotonic() < end:
            time.sleep(MOMENT)
            before, waiting = waiting, self.waiting
            if waiting <= before:
                return
