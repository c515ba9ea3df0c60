"""Noticing that the validation loss has stopped falling, for the schedule that follows it."""

from typing import Any

from dragoman.config.schedule import Plateau, ScheduleSettings
from dragoman.engine.training.early_stopping import EarlyStopping, Verdict


class Plateaus:
    """Count how often so many validations in a row brought no lower loss; patience 0 never does."""

    def __init__(self, patience: int = 0) -> None:
        self.count = 0
        self._waiting = EarlyStopping("loss", patience)

    @classmethod
    def of(cls, schedule: ScheduleSettings) -> "Plateaus":
        """Return the counter that a schedule asks for."""
        return cls(schedule.patience if isinstance(schedule, Plateau) else 0)

    def __call__(self, verdict: Verdict) -> None:
        """Look at one validation; after each plateau the patience begins anew."""
        self._waiting(verdict)
        if self._waiting.due:
            self.count += 1
            self._waiting.since_best = 0

    def state(self) -> dict[str, Any]:
        """Return the count, the best loss and the validations since."""
        return {"count": self.count, **self._waiting.state()}

    def restore(self, state: dict[str, Any]) -> None:
        """Take them back."""
        self.count = state.get("count", 0)
        self._waiting.restore(state)
