"""Looking at unseen text while training: the loss, the task's own figures, examples to read."""

import time
from collections.abc import Callable
from typing import Any

from dragoman.config.training import TrainingSettings
from dragoman.core.console import say
from dragoman.engine.training.early_stopping import Verdict
from dragoman.engine.training.log import MetricsLog
from dragoman.engine.training.report import StepReport
from dragoman.engine.training.task import Task, ValidationResult
from dragoman.metrics.figures import FIGURES
from dragoman.metrics.perplexity import perplexity
from dragoman.neural.optim.average import WeightAverage


class Validation:
    """Judge the weights every so many steps, and tell those who decide by it."""

    def __init__(
        self, task: Task, average: WeightAverage | None, log: MetricsLog, settings: TrainingSettings
    ) -> None:
        self.task, self.average, self.log, self.settings = task, average, log, settings
        self.listeners: list[Callable[[Verdict], None]] = []
        self.check: Callable[[int], None] = lambda _: None
        self._judged = 0

    def __call__(self, report: StepReport) -> None:
        """Judge where a judgement is due."""
        self.catch_up(report.step)

    def catch_up(self, step: int) -> None:
        """Judge a due step that has not been judged; a resume may find one."""
        due = step % self.settings.validate_every == 0 or step == self.settings.steps
        if step and due and self._judged < step:
            self.validate_now(step)

    def validate_now(self, step: int) -> Verdict:
        """Judge the present weights (their average, where there is one)."""
        began = time.perf_counter()
        model = self.task.objective.model
        if self.average:
            self.average.swap(model)
        model.eval()
        try:
            found = self.task.validate(self.check)
        finally:
            if self.average:
                self.average.swap(model)
        verdict = Verdict(step, found.loss, found.figures, found.outputs)
        self._judged = step
        self._write(verdict, found, time.perf_counter() - began)
        for listener in self.listeners:
            listener(verdict)
        return verdict

    def _write(self, verdict: Verdict, found: ValidationResult, seconds: float) -> None:
        values = {
            "loss": verdict.loss,
            "perplexity": perplexity(verdict.loss, 1).perplexity,
            **verdict.figures,
            "samples": [*found.samples],
            "seconds": round(seconds, 3),
        }
        self.log.write("validation", verdict.step, values)
        told = [f"{FIGURES.get(name, name)} {value:.2f}" for name, value in verdict.figures.items()]
        figures = ", ".join([f"validation loss {verdict.loss:.3f}", *told])
        say(f"step {verdict.step}: {figures}", style="bold")
        for sample in found.samples:
            say(f"    {sample['source']}\n    → {sample['output']}\n    = {sample['reference']}")

    def state(self) -> dict[str, Any]:
        """Return the last step that was judged."""
        return {"judged": self._judged}

    def restore(self, state: dict[str, Any]) -> None:
        """Take it back."""
        self._judged = state.get("judged", 0)
