"""Looking at unseen text while training: loss, BLEU, chrF and a few translations to read."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from dragoman.config.training import TrainingSettings
from dragoman.core.console import say
from dragoman.data.batching.batch import Batch
from dragoman.data.formats.pair import Pair
from dragoman.engine.inference.evaluate import judge
from dragoman.engine.inference.translator import Translator
from dragoman.engine.tasks.translation import TranslationTask
from dragoman.engine.training.log import MetricsLog
from dragoman.engine.training.report import Report
from dragoman.metrics.perplexity import perplexity
from dragoman.neural.optim.average import WeightAverage

SAMPLES = 3


@dataclass(frozen=True)
class Verdict:
    """What one validation found."""

    step: int
    loss: float
    """Nats per target token, every token counted once."""
    bleu: float
    chrf: float
    hypotheses: tuple[str, ...]

    def figure(self, name: str) -> float:
        """Return the figure that chooses the best weights, larger being better."""
        figures = {"loss": -self.loss, "bleu": self.bleu, "chrf": self.chrf}
        return figures[name]


@dataclass(frozen=True)
class ValidationSet:
    """The held-out text, as pairs to translate and as batches to take the loss of."""

    pairs: Sequence[Pair]
    batches: Sequence[Batch]


class Validation:
    """Judge the weights every so many steps, and tell those who decide by it."""

    def __init__(
        self,
        task: TranslationTask,
        translator: Translator,
        held_out: ValidationSet,
        average: WeightAverage | None,
        log: MetricsLog,
        settings: TrainingSettings,
    ) -> None:
        self.task, self.translator, self.held_out = task, translator, held_out
        self.average, self.log, self.settings = average, log, settings
        self.listeners: list[Callable[[Verdict], None]] = []
        self.check: Callable[[int], None] = lambda _: None
        self._judged = 0

    def __call__(self, report: Report) -> None:
        """Judge where a judgement is due."""
        self.catch_up(report.step)

    def catch_up(self, step: int) -> None:
        """Judge a due step that has not been judged; a resume may find one."""
        due = step % self.settings.validate_every == 0 or step == self.settings.steps
        if step and due and self._judged < step:
            self.judge_now(step)

    def judge_now(self, step: int) -> Verdict:
        """Judge the present weights (their average, where there is one)."""
        began = time.perf_counter()
        if self.average:
            self.average.swap(self.task.model)
        self.task.model.eval()
        try:
            loss = self.loss()
            judged = judge(
                self.translator,
                self.held_out.pairs,
                "valid",
                beam=1,
                metrics=("bleu", "chrf"),
                after_batch=self.check,
            )
        finally:
            if self.average:
                self.average.swap(self.task.model)
        verdict = Verdict(
            step, loss, judged.scores["bleu"].value, judged.scores["chrf"].value, judged.hypotheses
        )
        self._judged = step
        self._write(verdict, time.perf_counter() - began)
        for listener in self.listeners:
            listener(verdict)
        return verdict

    def loss(self) -> float:
        """Return nats per token over the whole held-out set."""
        nats, positions = 0.0, 0
        with torch.inference_mode():
            for batch in self.held_out.batches:
                one = self.task.loss(batch, self.translator.device)
                nats += one.nats.item()
                positions += one.positions
                self.check(0)
        return nats / max(1, positions)

    def _write(self, verdict: Verdict, seconds: float) -> None:
        samples = [
            {"source": pair.source, "reference": pair.target, "output": output}
            for pair, output in zip(self.held_out.pairs, verdict.hypotheses, strict=True)
        ][:SAMPLES]
        values = {
            "loss": verdict.loss,
            "perplexity": perplexity(verdict.loss, 1).perplexity,
            "bleu": verdict.bleu,
            "chrf": verdict.chrf,
            "samples": samples,
            "seconds": round(seconds, 3),
        }
        self.log.write("validation", verdict.step, values)
        say(
            f"step {verdict.step}: validation loss {verdict.loss:.3f}, "
            f"BLEU {verdict.bleu:.2f}, chrF {verdict.chrf:.2f}",
            style="bold",
        )
        for sample in samples:
            say(f"    {sample['source']}\n    → {sample['output']}\n    = {sample['reference']}")

    def state(self) -> dict[str, Any]:
        """Return the last step that was judged."""
        return {"judged": self._judged}

    def restore(self, state: dict[str, Any]) -> None:
        """Take it back."""
        self._judged = state.get("judged", 0)


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
