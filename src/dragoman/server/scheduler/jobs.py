"""Jobs: what a request that was accepted waits for."""

from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


class QueueFull(Exception):  # noqa: N818 - not our failure
    """Too many requests wait already; to be tried again later."""


class SchedulerStopped(Exception):  # noqa: N818 - not our failure
    """The scheduler has stopped before the work was done."""


@dataclass(eq=False)
class ScheduledJob(Generic[T]):
    """A job in the scheduler: a future, and whether a client still waits for it."""

    future: "Future[T]" = field(default_factory=Future)
    cancelled: bool = False

    def cancel(self) -> None:
        """Cancel the job; its queue drops it before the next step."""
        self.cancelled = True
        self.future.cancel()

    def drop(self) -> None:
        """Cancel what is not done yet."""
        if not self.future.done() or self.future.cancelled():
            self.cancel()

    def finish(self, result: T) -> None:
        """Set the result, unless the job was cancelled."""
        if self.future.set_running_or_notify_cancel():
            self.future.set_result(result)

    def fail(self, error: BaseException) -> None:
        """Set an error, unless the job was cancelled."""
        if self.future.set_running_or_notify_cancel():
            self.future.set_exception(error)
