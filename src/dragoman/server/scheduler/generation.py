"""Continuous batching of text generation: a token of every text in each step.

Each token is handed to the event loop of its request at once.
"""

import asyncio
import threading
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from dragoman.server.scheduler.continuous_batching import ContinuousBatchQueue
from dragoman.server.scheduler.jobs import QueueFull, SchedulerStopped
from dragoman.server.scheduler.scheduler import Scheduler
from dragoman.tasks.language_model.continuous_batching import GenerationBatch
from dragoman.tasks.language_model.requests import GeneratedToken, GenerationRequest

Update = Sequence[GeneratedToken] | Exception


class GenerationJob:
    """The texts of one client request while they are generated."""

    def __init__(self, requests: Sequence[GenerationRequest]) -> None:
        self.texts = sum(request.choices for request in requests)
        self.cancelled = False
        self.numbers: dict[int, int] = {}
        """The text of each row: the choices of the first request, then of the second, …"""
        self._loop = asyncio.get_running_loop()
        self._updates: asyncio.Queue[Update] = asyncio.Queue()

    def cancel(self) -> None:
        """Cancel the job; its rows are removed before the next step."""
        self.cancelled = True

    def put(self, update: Update) -> None:
        """Hand tokens or an error over, from another thread; without its loop it is cancelled."""
        try:
            self._loop.call_soon_threadsafe(self._updates.put_nowait, update)
        except RuntimeError:
            self.cancelled = True

    async def tokens(self, timeout: float) -> AsyncGenerator[GeneratedToken]:
        """Yield tokens until all texts are finished; the row of a token is the text's number.

        Nothing for so many seconds is a TimeoutError. A consumer that stops cancels the rest.
        """
        unfinished = self.texts
        try:
            while unfinished:
                update = await asyncio.wait_for(self._updates.get(), timeout)
                if isinstance(update, Exception):
                    raise update
                for token in update:
                    unfinished -= token.finish_reason is not None
                    yield replace(token, row=self.numbers[token.row])
        finally:
            self.cancel()


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A request that is not in the batch yet, and the number of its first text."""

    job: GenerationJob
    request: GenerationRequest
    first: int


class GenerationQueue(ContinuousBatchQueue[list[GeneratedToken]]):
    """The work queue of a language model."""

    batch: GenerationBatch

    def __init__(self, scheduler: Scheduler, batch: GenerationBatch, *, max_waiting: int) -> None:
        self.batch, self.max_waiting = batch, max_waiting
        """Texts that may wait to be begun."""
        self.steps, self.tokens = 0, 0
        """Steps that generated something so far, and the tokens they generated."""
        self._waiting: deque[_Waiting] = deque()
        self._running: dict[int, GenerationJob] = {}
        """The job of each row of the batch."""
        self._lock = threading.Lock()
        self._scheduler = scheduler
        scheduler.add(self)

    def submit(self, requests: Sequence[GenerationRequest]) -> GenerationJob:
        """Accept requests, all or none, for the event loop that this is called from."""
        job, firsts = GenerationJob(requests), accumulate((r.choices for r in requests), initial=0)
        with self._lock:
            waiting = self._texts_waiting()
            if waiting and waiting + job.texts > self.max_waiting:
                raise QueueFull
            self._waiting += [_Waiting(job, *one) for one in zip(requests, firsts, strict=False)]
        self._scheduler.wake()
        return job

    @property
    def waiting(self) -> int:
        """Texts that wait to be begun."""
        with self._lock:
            return self._texts_waiting()

    @property
    def rows(self) -> int:
        """Texts that are being generated."""
        return len(self._running)

    def has_work(self) -> bool:
        """Say whether anything waits or is being generated."""
        return bool(self._waiting or self._running)

    def close(self) -> None:
        """Fail all that waits or is being generated."""
        self._fail(SchedulerStopped())
        with self._lock:
            left, self._waiting = self._waiting, deque()
        for job in {one.job for one in left}:
            job.put(SchedulerStopped())

    def _texts_waiting(self) -> int:
        return sum(one.request.choices for one in self._waiting if not one.job.cancelled)

    def _remove_cancelled(self) -> None:
        cancelled = [row for row, job in self._running.items() if job.cancelled]
        self.batch.remove(cancelled)
        for row in cancelled:
            del self._running[row]

    def _add_waiting(self) -> None:
        # First come, first served: a long text is never overtaken for ever.
        while (one := self._first()) is not None:
            if not one.job.cancelled:
                if not self.batch.has_room(one.request):
                    return
                for number, row in enumerate(self.batch.add(one.request), one.first):
                    one.job.numbers[row] = number
                    self._running[row] = one.job
            with self._lock:
                self._waiting.popleft()

    def _first(self) -> _Waiting | None:
        with self._lock:
            return self._waiting[0] if self._waiting else None

    def _deliver(self, output: list[GeneratedToken]) -> None:
        self.steps, self.tokens = self.steps + bool(output), self.tokens + len(output)
        updates: dict[GenerationJob, list[GeneratedToken]] = {}
        for token in output:
            job = self._running.get(token.row)
            if job is not None:
                updates.setdefault(job, []).append(token)
            if token.finish_reason is not None:
                self._running.pop(token.row, None)
        for job, tokens in updates.items():
            job.put(tokens)

    def _fail(self, error: Exception) -> None:
        failed, self._running = set(self._running.values()), {}
        for job in failed:
            job.put(error)
