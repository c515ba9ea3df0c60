"""Dynamic batching: items of many requests, done together in passes.

What waits is taken as soon as the scheduler is free, so a lone request is not held up for others.
Under load the responses of a pass bring the next requests with them, one by one; while they are
coming they are waited for, a moment at a time.
"""

import logging
import time
from collections.abc import Callable, Hashable, Sequence

from dragoman.server.scheduler.queue import Item, RequestQueue, Result
from dragoman.server.scheduler.scheduler import Scheduler

log = logging.getLogger("dragoman.server")

POLL_SECONDS, MAX_WAIT_SECONDS = 0.004, 0.06
"""Seconds without anything new after which a pass begins, and those after which it does anyway."""

TEXT_OVERHEAD = 20
"""What a text costs besides its characters, where characters are what is counted."""

BatchFunction = Callable[[Hashable, Sequence[Item]], list[Result]]


class DynamicBatchQueue(RequestQueue[Item, Result]):
    """A work queue with dynamic batching; the items of one pass have the same key."""

    def __init__(
        self,
        scheduler: Scheduler,
        work: BatchFunction[Item, Result],
        *,
        cost: Callable[[Item], int],
        max_cost: int,
        max_waiting: int,
    ) -> None:
        super().__init__(scheduler, cost=cost, max_cost=max_cost, max_waiting=max_waiting)
        self.work = work
        self._expected = 0
        """Items of the last pass and those that waited at its end: so many may come together."""

    def step(self) -> None:
        """Do one pass."""
        self._wait_for_more()
        taken = self._take(self.max_cost, same_key=True)
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

    def _wait_for_more(self) -> None:
        """Wait while more comes, until there is as much as is expected; one pass beats two."""
        end, waiting = time.monotonic() + MAX_WAIT_SECONDS, self.waiting
        while waiting < self._expected and time.monotonic() < end:
            time.sleep(POLL_SECONDS)
            before, waiting = waiting, self.waiting
            if waiting <= before:
                return
