"""The queue of requests that wait for the scheduler, and how they take their turns.

Each request gives some of its items at a time, the one that has waited longest first, so that a
long list does not keep short ones waiting.
"""

import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

from dragoman.server.scheduler.jobs import Busy, Closed, ScheduledJob
from dragoman.server.scheduler.worker_thread import Engine

Item = TypeVar("Item")
Result = TypeVar("Result")


class Request(Generic[Item, Result]):
    """Items that somebody asked for: what is still to do, and what is done."""

    def __init__(self, items: Sequence[Item], key: Hashable) -> None:
        self.job: ScheduledJob[list[Result]] = ScheduledJob()
        self.items, self.key = items, key
        self.begun = 0
        """Items that have been taken."""
        self._results: dict[int, Result] = {}

    @property
    def waiting(self) -> int:
        """Items that have not been taken yet."""
        return 0 if self.job.cancelled else len(self.items) - self.begun

    def put(self, place: int, result: Result) -> None:
        """Hand in the result of an item; the last one ends the job."""
        self._results[place] = result
        if len(self._results) == len(self.items) and not self.job.cancelled:
            self.job.finish([self._results[place] for place in range(len(self.items))])

    def fail(self, error: BaseException) -> None:
        """Say that something went wrong; none of its items is done any more."""
        if not self.job.cancelled:
            self.job.fail(error)
        self.job.cancelled = True


Taken = tuple[Request[Item, Result], int]
"""A request, and the place of one of its items."""


class QueuedLane(ABC, Generic[Item, Result]):
    """A lane whose items come in requests, and wait for their turn."""

    def __init__(
        self, engine: Engine, *, weigh: Callable[[Item], int], together: int, most_waiting: int
    ) -> None:
        self.weigh, self.together = weigh, together
        self.most_waiting = most_waiting
        """Items that may wait; a request that comes to an empty lane is never turned away."""
        self.passes, self.done = 0, 0
        """Passes so far, and the items they did."""
        self._requests: deque[Request[Item, Result]] = deque()
        self._lock = threading.Lock()
        self._engine = engine
        engine.add(self)

    def ask(self, items: Sequence[Item], key: Hashable = None) -> ScheduledJob[list[Result]]:
        """Have items done; their results come in the same order."""
        request = Request[Item, Result](items, key)
        if not items:
            request.job.finish([])
            return request.job
        with self._lock:
            waiting = sum(one.waiting for one in self._requests)
            if waiting and waiting + len(items) > self.most_waiting:
                raise Busy
            self._requests.append(request)
        self._engine.wake()
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
    def turn(self) -> None:
        """Do a short piece of the work."""

    def close(self) -> None:
        """Fail all that waits."""
        with self._lock:
            left, self._requests = self._requests, deque()
        for request in left:
            request.fail(Closed())

    def _take(self, room: int, *, alike: bool) -> list[Taken[Item, Result]]:
        """Take items up to a weight, and put the requests they belong to last in the line.

        With `alike` they have one key. One item is taken even if it is too heavy.
        """
        with self._lock:
            self._requests = deque(one for one in self._requests if one.waiting)
            if not self._requests:
                return []
            key = self._requests[0].key
            fitting = [one for one in self._requests if one.key == key or not alike]
            share = max(1, room // len(fitting))
            taken: list[Taken[Item, Result]] = []
            served: set[int] = set()
            for request in fitting:
                weight, limit = 0, min(room, share)
                while request.waiting and (weight < limit or not taken):
                    weight += self.weigh(request.items[request.begun])
                    taken.append((request, request.begun))
                    served.add(id(request))
                    request.begun += 1
                room -= weight
                if room <= 0:
                    break
            rest = [one for one in self._requests if id(one) not in served]
            last = [one for one in fitting if id(one) in served and one.waiting]
            self._requests = deque([*rest, *last])
            return taken
