"""Telling in plain words when a training goes wrong, while it does."""

import math
from typing import Any

from dragoman.core.console import say
from dragoman.engine.training.early_stopping import Verdict
from dragoman.engine.training.log import MetricsLog
from dragoman.engine.training.report import StepReport

PATIENCE = 200
"""Steps before the loss may be judged."""


class Diagnosis:
    """Watch for the usual troubles; each is told once."""

    def __init__(self, log: MetricsLog, vocab_size: int, sources: int) -> None:
        self.log = log
        self.chance = math.log(vocab_size)
        self.sources = sources
        self._told: list[str] = []
        self._recent: float | None = None
        self._at_start: float | None = None
        self._validations: list[tuple[float, float]] = []  # (validation loss, training loss)

    def __call__(self, report: StepReport) -> None:
        """Look at a step."""
        if report.skipped:
            self._tell(
                report.step,
                "not-finite",
                "a gradient was not finite and its step was skipped; "
                "if it happens again, lower optimizer.learning_rate.",
            )
            return
        loss = report.nats / report.tokens
        self._recent = loss if self._recent is None else 0.98 * self._recent + 0.02 * loss
        if self._at_start is None:
            self._at_start = loss
        if report.step >= PATIENCE and self._recent > 0.95 * self.chance:
            self._tell(
                report.step,
                "chance",
                f"the loss {self._recent:.2f} is still that of guessing "
                f"(ln of the vocabulary is {self.chance:.2f}); "
                "is optimizer.learning_rate far too low or too high?",
            )
        elif report.step >= 2 * PATIENCE and self._recent > 0.97 * self._at_start:
            self._tell(
                report.step,
                "no-learning",
                f"the loss has hardly moved since the start ({self._at_start:.2f} → "
                f"{self._recent:.2f}); look at optimizer.learning_rate and at the corpus.",
            )

    def judged(self, verdict: Verdict) -> None:
        """Look at a validation."""
        outputs = verdict.outputs
        distinct = len(set(outputs))
        if len(outputs) >= 20 and self.sources >= 20 and distinct <= len(outputs) // 10:
            self._tell(
                verdict.step,
                "same-output",
                f"{len(outputs)} different sentences got only {distinct} different translations; "
                "normal in the first minutes, a sign of too little training or data later.",
            )
        trained = verdict.loss if self._recent is None else self._recent
        self._validations.append((verdict.loss, trained))
        recent = self._validations[-4:]
        if len(recent) == 4:
            rising = all(a[0] < b[0] for a, b in zip(recent, recent[1:], strict=False))
            falling = recent[-1][1] < recent[0][1]
            if rising and falling:
                self._tell(
                    verdict.step,
                    "overfitting",
                    "the validation loss has risen three times in a row while the training loss "
                    "falls: the model learns the corpus by heart. More dropout, a smaller model "
                    "or more text would help; training.patience stops in time.",
                )

    def _tell(self, step: int, name: str, text: str) -> None:
        if name in self._told:
            return
        self._told.append(name)
        self.log.write("diagnosis", step, {"name": name, "text": text})
        say(f"step {step}: {text}", style="yellow")

    def state(self) -> dict[str, Any]:
        """Return what has been seen and told."""
        return {
            "told": self._told,
            "recent": self._recent,
            "at_start": self._at_start,
            "validations": self._validations[-4:],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take it back."""
        self._told = list(state.get("told", []))
        self._recent = state.get("recent")
        self._at_start = state.get("at_start")
        self._validations = [(a, b) for a, b in state.get("validations", [])]
