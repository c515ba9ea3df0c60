"""The step report that the training loop hands to its watchers."""

from dataclasses import dataclass
from typing import Any, Protocol

from dragoman.data.batching.stream import Position


@dataclass(frozen=True, slots=True)
class StepReport:
    """One optimizer step."""

    step: int
    nats: float
    """Cross entropy summed over the tokens that the step asked for, without smoothing."""
    tokens: int
    """Tokens asked for: the real ones of the target, and those of the source where it is too."""
    targets: int
    """Real target tokens."""
    gradient_norm: float
    """Before clipping."""
    rate: float
    seconds: float
    position: Position
    """Where in the data the next step begins."""
    skipped: int = 0
    """Steps in a row, up to this one, whose gradient was not finite: the weights did not move."""


class Watcher(Protocol):
    """Someone who looks at each step and cannot change it; to end the training, raise `Stop`."""

    def __call__(self, report: StepReport) -> None:
        """Look at one step."""
        ...


class Stateful(Protocol):
    """A watcher with a memory that a resume must bring back."""

    def state(self) -> dict[str, Any]:
        """Return the memory as plain JSON values."""
        ...

    def restore(self, state: dict[str, Any]) -> None:
        """Take a memory back."""
        ...


class Stop(Exception):  # noqa: N818 - not an error: the training has come to its end
    """Raised by a watcher to end the training early; the message says why."""
