"""The request queue, in which requests share the scheduler fairly.

Each request gives some of its items at a time, the one that has waited longest first, so that a
long list does not keep short ones waiting.
"""

import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

from dragoman.server.scheduler.jobs import QueueFull, ScheduledJob, SchedulerStopped
from dragoman.server.scheduler.scheduler import Scheduler

Item = TypeVar("Item")
Result = TypeVar("Result")


class QueuedRequest(Generic[Item, Result]):
    """A request: its items, how many of them were taken, and the results so far."""

    def __init__(self, items: Sequence[Item], key: Hashable) -> None:
        self.job: ScheduledJob[list[Result]] = ScheduledJob()
        self.items, self.key = items, key
        self.taken = 0
        """Items that have been taken out of the queue."""
        self._results: dict[int, Result] = {}

    @property
    def waiting(self) -> int:
        """Items that have not been taken yet."""
        return 0 if self.job.cancelled else len(self.items) - self.taken

    def put(self, place: int, result: Result) -> None:
        """Set the result of an item; the last one finishes the job."""
        self._results[place] = result
        if len(self._results) == len(self.items) and not self.job.cancelled:
            self.job.finish([self._results[place] for place in range(len(self.items))])

    def fail(self, error: BaseException) -> None:
        """Fail the job; none of its items is done any more."""
        if not self.job.cancelled:
            self.job.fail(error)
        self.job.cancelled = True


QueuedItem = tuple[QueuedRequest[Item, Result], int]
"""A request, and the place of one of its items."""


class RequestQueue(ABC, Generic[Item, Result]):
    """A work queue of requests that consist of items."""

    def __init__(
        self, scheduler: Scheduler, *, cost: Callable[[Item], int], max_cost: int, max_waiting: int
    ) -> None:
        self.cost, self.max_cost = cost, max_cost
        """What an item costs, and what those may cost together that run at the same time."""
        self.max_waiting = max_waiting
        """Items that may wait; an empty queue accepts a request of any size."""
        self.passes, self.done = 0, 0
        """Steps so far, and the items they finished."""
        self._requests: deque[QueuedRequest[Item, Result]] = deque()
        self._lock = threading.Lock()
        self._scheduler = scheduler
        scheduler.add(self)

    def submit(self, items: Sequence[Item], key: Hashable = None) -> ScheduledJob[list[Result]]:
        """Accept a request; its results come in the order of the items."""
        request = QueuedRequest[Item, Result](items, key)
        if not items:
            request.job.finish([])
            return request.job
        with self._lock:
            waiting = sum(one.waiting for one in self._requests)
            if waiting and waiting + len(items) > self.max_waiting:
                raise QueueFull
            self._requests.append(request)
        self._scheduler.wake()
        return request.job

    @property
    def waiting(self) -> int:
        """Items that wait."""
        with self._lock:
            return sum(one.waiting for one in self._requests)

    def has_work(self) -> bool:
        """Say whether anything waits."""
        with self._lock:
            return any(one.waiting for one in self._requests)

    @abstractmethod
    def step(self) -> None:
        """Do a short piece of the work."""

    def close(self) -> None:
        """Fail all that waits."""
        with self._lock:
            left, self._requests = self._requests, deque()
        for request in left:
            request.fail(SchedulerStopped())

    def _take(self, max_cost: int, *, same_key: bool) -> list[QueuedItem[Item, Result]]:
        """Take items up to a cost, and move the requests they belong to to the end of the queue.

        With `same_key` all have that of the first. One item is taken even if it costs too much.
        """
        with self._lock:
            self._requests = deque(one for one in self._requests if one.waiting)
            if not self._requests:
                return []
            key = self._requests[0].key
            fitting = [one for one in self._requests if one.key == key or not same_key]
            share = max(1, max_cost // len(fitting))
            taken: list[QueuedItem[Item, Result]] = []
            served: set[int] = set()
            for request in fitting:
                cost, limit = 0, min(max_cost, share)
                while request.waiting and (cost < limit or not taken):
                    cost += self.cost(request.items[request.taken])
                    taken.append((request, request.taken))
                    served.add(id(request))
                    request.taken += 1
                max_cost -= cost
                if max_cost <= 0:
                    break
            rest = [one for one in self._requests if id(one) not in served]
            last = [one for one in fitting if id(one) in served and one.waiting]
            self._requests = deque([*rest, *last])
            return taken
