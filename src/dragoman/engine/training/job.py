"""What a kind of task brings to a training: its network, its batches, and how it is judged."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from dragoman.data.batching.endless import Endless
from dragoman.engine.training.task import Task


@dataclass(frozen=True)
class Judged:
    """What a task has to say about unseen text besides its loss."""

    figures: Mapping[str, float] = field(default_factory=dict)
    """By the name that the log and, if larger is better, `training.judge` knows them by."""

    samples: tuple[Mapping[str, str], ...] = ()
    """A few examples to read: what was given, what came out, what was expected."""

    outputs: tuple[str, ...] = ()
    """All that came out, where a network that always says the same would be noticed."""


class Job(Protocol):
    """One task on one corpus, ready to be trained."""

    @property
    def task(self) -> Task:
        """What the network is asked for."""
        ...

    notes: dict[str, str]
    """What is stored with the weights."""

    guesses: int
    """Entries or classes among which the network guesses."""

    held_out: int
    """Examples that it is judged on."""

    def stream(self) -> Endless[Any, Any]:
        """Return the batches."""
        ...

    def loss(self, check: Callable[[int], None]) -> float:
        """Return nats per token over the whole held-out set; `check` is called now and then."""
        ...

    def judge(self, loss: float, check: Callable[[int], None]) -> Judged:
        """Return what else there is to say of the held-out set, which has this loss."""
        ...
