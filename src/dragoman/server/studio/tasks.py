"""Single pieces of work on a network, done one after the other on the engine's thread."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

from fastapi import Request

from dragoman.config.serving import ServingSettings
from dragoman.core.errors import DragomanError
from dragoman.server.deadlines import answered
from dragoman.server.refusal import busy
from dragoman.server.scheduler.batching import BatchLane
from dragoman.server.scheduler.jobs import Busy
from dragoman.server.scheduler.worker_thread import Engine

T = TypeVar("T")
Task = Callable[[], Any]


class Tasks:
    """Has tasks done in their turn, beside all other work."""

    def __init__(self, engine: Engine, settings: ServingSettings) -> None:
        self._deadline = settings.deadline
        self._lane = BatchLane[Task, Any](
            engine, _do, weigh=lambda _: 1, together=1, most_waiting=settings.max_queued_texts
        )

    async def done(self, request: Request, task: Callable[[], T]) -> T:
        """Do a task while somebody waits for it; an error that a user can mend comes back."""
        (result,) = await self.all_done(request, [task])
        return result

    async def all_done(self, request: Request, tasks: Sequence[Callable[[], T]]) -> list[T]:
        """Do several tasks, each in a turn of its own."""
        try:
            job = self._lane.ask(tasks)
        except Busy:
            raise busy() from None
        results = await answered(request, job, self._deadline)
        for result in results:
            if isinstance(result, DragomanError):
                raise result
        return results


def _do(_: Hashable, tasks: Sequence[Task]) -> list[Any]:
    return [_done(task) for task in tasks]


def _done(task: Task) -> Any:
    try:
        return task()
    except DragomanError as error:  # not the engine's failure: whoever asked is told
        return error
