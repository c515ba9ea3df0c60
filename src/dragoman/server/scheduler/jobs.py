"""A job: a request's share of the scheduler's work."""

from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


class Busy(Exception):  # noqa: N818 - not our failure
    """More waits than may wait; to be tried again later."""


class Closed(Exception):  # noqa: N818 - not our failure
    """The engine has stopped before the work was done."""


@dataclass(eq=False)
class ScheduledJob(Generic[T]):
    """Work that was accepted: its result comes, unless nobody wants it any more."""

    future: "Future[T]" = field(default_factory=Future)
    cancelled: bool = False

    def cancel(self) -> None:
        """Say that nobody waits any more; whoever works on it drops it at the next occasion."""
        self.cancelled = True
        self.future.cancel()

    def drop(self) -> None:
        """Cancel what is not done yet."""
        if not self.future.done() or self.future.cancelled():
            self.cancel()

    def finish(self, result: T) -> None:
        """Hand the result over, if somebody still waits."""
        if self.future.set_running_or_notify_cancel():
            self.future.set_result(result)

    def fail(self, error: BaseException) -> None:
        """Hand an error over, if somebody still waits."""
        if self.future.set_running_or_notify_cancel():
            self.future.set_exception(error)
