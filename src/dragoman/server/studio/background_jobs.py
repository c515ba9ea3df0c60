"""Background jobs of the studio: single pieces of work on the scheduler's thread."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

from fastapi import Request

from dragoman.config.serving import ServingSettings
from dragoman.core.errors import DragomanError
from dragoman.server.deadlines import wait_for_job
from dragoman.server.errors import busy
from dragoman.server.scheduler.dynamic_batching import DynamicBatchQueue
from dragoman.server.scheduler.jobs import QueueFull
from dragoman.server.scheduler.scheduler import Scheduler

T = TypeVar("T")
BackgroundJob = Callable[[], Any]


class BackgroundJobs:
    """A work queue of functions, each a step of the scheduler."""

    def __init__(self, scheduler: Scheduler, settings: ServingSettings) -> None:
        self._deadline = settings.deadline
        self._queue = DynamicBatchQueue[BackgroundJob, Any](
            scheduler, _run_all, cost=lambda _: 1, max_cost=1, max_waiting=settings.max_queued_texts
        )

    async def run(self, request: Request, job: Callable[[], T]) -> T:
        """Run a job while its client waits; a DragomanError is raised here."""
        (result,) = await self.run_all(request, [job])
        return result

    async def run_all(self, request: Request, jobs: Sequence[Callable[[], T]]) -> list[T]:
        """Run several jobs, each in a step of its own."""
        try:
            scheduled = self._queue.submit(jobs)
        except QueueFull:
            raise busy() from None
        results = await wait_for_job(request, scheduled, self._deadline)
        for result in results:
            if isinstance(result, DragomanError):
                raise result
        return results


def _run_all(_: Hashable, jobs: Sequence[BackgroundJob]) -> list[Any]:
    return [_run(job) for job in jobs]


def _run(job: BackgroundJob) -> Any:
    try:
        return job()
    except DragomanError as error:  # not a failure of the server: the client is told
        return error
