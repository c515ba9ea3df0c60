"""Work that goes well in batches: items of many requests, done together.

What waits is taken as soon as the engine is free, so a lone request is not held up for company.
Under load the answers of a pass bring the next requests with them, one by one; while they are
coming they are waited for, a moment at a time. Requests take their turns: each gives some of its
items to a pass, the one that has waited longest first, so that a long list does not keep short ones
waiting.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

from dragoman.server.engine.jobs import Busy, Closed, Job
from dragoman.server.engine.turns import Engine

Item = TypeVar("Item")
Result = TypeVar("Result")

log = logging.getLogger("dragoman.server")

MOMENT, LONGEST_WAIT = 0.004, 0.06
"""Seconds without anything new after which a pass begins, and those after which it does anyway."""

EVERY_TEXT = 20
"""What a text weighs besides its characters, where characters are what is counted."""

Work = Callable[[Hashable, Sequence[Item]], list[Result]]


class _Asked(Generic[Item, Result]):
    """One request: what is still to do, and what is done."""

    def __init__(self, items: Sequence[Item], key: Hashable) -> None:
        self.job: Job[list[Result]] = Job()
        self.items, self.key = items, key
        self.begun = 0
        """Items that have been given to a pass."""
        self.results: list[Result] = []

    @property
    def waiting(self) -> int:
        """Items that no pass has taken yet."""
        return 0 if self.job.cancelled else len(self.items) - self.begun


class BatchLane(Generic[Item, Result]):
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
        self.work, self.weigh, self.together = work, weigh, together
        self.most_waiting = most_waiting
        """Items that may wait; a request that comes to an empty lane is never turned away."""
        self.passes, self.done = 0, 0
        """Passes so far, and the items they did."""
        self._expected = 0
        """Items of the last pass and those that waited at its end: so many may come together."""
        self._asked: deque[_Asked[Item, Result]] = deque()
        self._lock = threading.Lock()
        self._engine = engine
        engine.add(self)

    def ask(self, items: Sequence[Item], key: Hashable = None) -> Job[list[Result]]:
        """Have items done; their results come in the same order."""
        asked = _Asked[Item, Result](items, key)
        if not items:
            asked.job.finish([])
            return asked.job
        with self._lock:
            waiting = sum(one.waiting for one in self._asked)
            if waiting and waiting + len(items) > self.most_waiting:
                raise Busy
            self._asked.append(asked)
        self._engine.wake()
        return asked.job

    @property
    def waiting(self) -> int:
        """Items that wait."""
        with self._lock:
            return sum(one.waiting for one in self._asked)

    def has_work(self) -> bool:
        """Say whether anything waits."""
        with self._lock:
            return any(one.waiting for one in self._asked)

    def turn(self) -> None:
        """Do one pass."""
        self._wait_for_company()
        taken = self._take()
        if not taken:
            return
        items = [item for asked, begin, end in taken for item in asked.items[begin:end]]
        try:
            results = self.work(taken[0][0].key, items)
        except Exception as error:
            log.exception("a pass of %d items failed", len(items))
            for asked, _, _ in taken:
                asked.job.fail(error)
                asked.job.cancelled = True
            return
        self.passes, self.done = self.passes + 1, self.done + len(items)
        self._expected = len(items) + self.waiting
        done = iter(results)
        for asked, begin, end in taken:
            asked.results += [next(done) for _ in range(end - begin)]
            if len(asked.results) == len(asked.items):
                asked.job.finish(asked.results)

    def close(self) -> None:
        """Fail all that waits."""
        with self._lock:
            left, self._asked = self._asked, deque()
        for asked in left:
            asked.job.fail(Closed())

    def _wait_for_company(self) -> None:
        """Wait while more comes, until there is as much as is expected; one pass beats two."""
        end, waiting = time.monotonic() + LONGEST_WAIT, self.waiting
        while waiting < self._expected and time.monotonic() < end:
            time.sleep(MOMENT)
            before, waiting = waiting, self.waiting
            if waiting <= before:
                return

    def _take(self) -> list[tuple[_Asked[Item, Result], int, int]]:
        """Take items for one pass, and put the requests they belong to last in the line."""
        with self._lock:
            self._asked = deque(one for one in self._asked if one.waiting)
            if not self._asked:
                return []
            key, room = self._asked[0].key, self.together
            taken: list[tuple[_Asked[Item, Result], int, int]] = []
            fitting = [one for one in self._asked if one.key == key]
            share = max(1, room // len(fitting))
            for asked in fitting:
                begin, weight = asked.begun, 0
                limit = min(room, share)
                while asked.waiting and (weight < limit or (not taken and begin == asked.begun)):
                    weight += self.weigh(asked.items[asked.begun])
                    asked.begun += 1
                if asked.begun > begin:
                    taken.append((asked, begin, asked.begun))
                    room -= weight
                if room <= 0:
                    break
            served = {id(asked) for asked, _, _ in taken}
            rest = [one for one in self._asked if id(one) not in served]
            self._asked = deque([*rest, *(a for a, _, _ in taken if a.waiting)])
            return taken
