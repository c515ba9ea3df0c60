"""The task protocol: what a kind of task brings to a training run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from dragoman.data.batching.endless import Endless
from dragoman.engine.training.objective import Objective


@dataclass(frozen=True)
class ValidationResult:
    """The result of validation on held-out data."""

    loss: float
    """Nats per token, every token counted once."""

    figures: Mapping[str, float] = field(default_factory=dict)
    """By the name that the log and, if larger is better, `training.best_metric` knows them by."""

    samples: tuple[Mapping[str, str], ...] = ()
    """A few examples to read: what was given, what came out, what was expected."""

    outputs: tuple[str, ...] = ()
    """All that came out, where a network that always says the same would be noticed."""


class Task(Protocol):
    """One task on one corpus, ready to be trained."""

    @property
    def objective(self) -> Objective:
        """The network and its loss."""
        ...

    notes: dict[str, str]
    """What is stored with the weights."""

    guesses: int
    """Tokens or classes among which the network chooses."""

    held_out: int
    """Examples that it is validated on."""

    def train_batches(self) -> Endless[Any, Any]:
        """Return the training batches, epoch after epoch."""
        ...

    def validate(self, check: Callable[[int], None]) -> ValidationResult:
        """Judge the network on the whole held-out set; `check` is called now and then."""
        ...
