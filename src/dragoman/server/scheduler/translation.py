"""Continuous batching of translations: the texts of many requests in one beam search.

What is done for a text is a coroutine that yields translation requests. It goes on whenever one of
them is finished, and waits in the batch for the next.
"""

import logging
from collections.abc import Callable, Hashable

from dragoman.server.scheduler.continuous_batching import ContinuousBatchQueue
from dragoman.server.scheduler.jobs import SchedulerStopped
from dragoman.server.scheduler.queue import Item, QueuedItem, RequestQueue, Result
from dragoman.server.scheduler.scheduler import Scheduler
from dragoman.tasks.translation.continuous_batching import PendingRequest, TranslationBatch
from dragoman.tasks.translation.requests import (
    Candidates,
    Coroutine,
    TranslationRequest,
    execute_batch,
)

log = logging.getLogger("dragoman.server")


class TranslationQueue(ContinuousBatchQueue[list[PendingRequest]], RequestQueue[Item, Result]):
    """The work queue of a translator: an item is a text, done by a coroutine."""

    batch: TranslationBatch

    def __init__(
        self,
        scheduler: Scheduler,
        batch: TranslationBatch,
        begin: Callable[[Hashable, Item], Coroutine[Result]],
        *,
        max_running: int,
        max_waiting: int,
    ) -> None:
        super().__init__(scheduler, cost=lambda _: 1, max_cost=max_running, max_waiting=max_waiting)
        self.begin, self.batch = begin, batch
        self._running: dict[PendingRequest, tuple[QueuedItem[Item, Result], Coroutine[Result]]] = {}
        """Whose coroutine waits for each request of the batch."""
        self._apart: list[
            tuple[QueuedItem[Item, Result], Coroutine[Result], TranslationRequest]
        ] = []
        """Requests that the batch does not accept; they get a pass of their own."""

    def has_work(self) -> bool:
        """Say whether anything waits or is running."""
        return bool(self._running or self._apart) or super().has_work()

    def close(self) -> None:
        """Fail all that waits or is running."""
        super().close()
        self._fail(SchedulerStopped())

    def _remove_cancelled(self) -> None:
        cancelled = [one for one, ((owner, _), _) in self._running.items() if owner.job.cancelled]
        if cancelled:
            self.batch.remove(cancelled)
        for one in cancelled:
            del self._running[one]

    def _add_waiting(self) -> None:
        room = self.max_cost - len(self._running) - len(self._apart)
        for item in self._take(room, same_key=False) if room > 0 else ():
            owner, place = item
            try:
                coroutine = self.begin(owner.key, owner.items[place])
            except Exception as error:
                log.exception("a text could not be begun")
                owner.fail(error)
            else:
                self._resume(item, coroutine, None)

    def _deliver(self, output: list[PendingRequest]) -> None:
        self.passes += 1
        for pending in output:
            if pending in self._running:  # else the queue was closed meanwhile
                item, coroutine = self._running.pop(pending)
                self._resume(item, coroutine, pending.candidates)
        self._execute_apart()

    def _resume(
        self,
        item: QueuedItem[Item, Result],
        coroutine: Coroutine[Result],
        candidates: Candidates | None,
    ) -> None:
        """Send a coroutine its candidates, until it waits for a request or is done."""
        owner, place = item
        try:
            while True:
                request = next(coroutine) if candidates is None else coroutine.send(candidates)
                if not self.batch.accepts(request):
                    self._apart.append((item, coroutine, request))
                    return
                pending = self.batch.add(request)
                if pending.missing:
                    self._running[pending] = item, coroutine
                    return
                candidates = pending.candidates
        except StopIteration as over:
            self.done += 1
            owner.put(place, over.value)
        except Exception as error:
            log.exception("a text could not be translated")
            owner.fail(error)

    def _execute_apart(self) -> None:
        """Execute what the batch does not accept, all together."""
        apart = [one for one in self._apart if not one[0][0].job.cancelled]
        self._apart = []
        if not apart:
            return
        try:
            results = execute_batch(self.batch.translator, [request for *_, request in apart])
        except Exception as error:
            if len(apart) == 1:
                log.exception("a pass of one text failed")
                apart[0][0][0].fail(error)
                return
            for one in apart:  # one by one, so that only what cannot be done fails
                self._apart = [one]
                self._execute_apart()
            return
        for (item, coroutine, _), candidates in zip(apart, results, strict=True):
            self._resume(item, coroutine, candidates)

    def _fail(self, error: Exception) -> None:
        running, self._running = self._running, {}
        apart, self._apart = self._apart, []
        items = [item for item, _ in running.values()] + [item for item, _, _ in apart]
        for owner, _ in items:
            owner.fail(error)
