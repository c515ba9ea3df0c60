"""Early stopping: noticing that validation has brought nothing better for a while."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Verdict:
    """The verdict of one validation: loss, figures, outputs."""

    step: int
    loss: float
    """Nats per token, every token counted once."""
    figures: Mapping[str, float] = field(default_factory=dict)
    outputs: tuple[str, ...] = ()

    def figure(self, name: str) -> float:
        """Return the figure that chooses the best weights, larger being better.

        A task that has no such figure is judged by its loss.
        """
        return self.figures.get(name, -self.loss)


class EarlyStopping:
    """Notice when validation has stopped getting better."""

    def __init__(self, judge_by: str, patience: int) -> None:
        self.judge_by, self.patience = judge_by, patience
        self.best = -float("inf")
        self.since_best = 0

    def __call__(self, verdict: Verdict) -> None:
        """Count the validations since the best one."""
        if verdict.figure(self.judge_by) > self.best:
            self.best, self.since_best = verdict.figure(self.judge_by), 0
        else:
            self.since_best += 1

    @property
    def due(self) -> bool:
        """Patience has run out."""
        return bool(self.patience) and self.since_best >= self.patience

    def state(self) -> dict[str, Any]:
        """Return the best figure and the count since."""
        return {"best": None if self.best == -float("inf") else self.best, "since": self.since_best}

    def restore(self, state: dict[str, Any]) -> None:
        """Take them back."""
        best = state.get("best")
        self.best = -float("inf") if best is None else best
        self.since_best = state.get("since", 0)
