"""Training a recipe for a number of core-minutes, with the product's own loop.

One thread; minutes are processor time of this process, judging left out, so that a busy machine
costs a run its speed but not its steps.
"""

import time
from collections.abc import Callable
from pathlib import Path

import torch

from dragoman.config.recipe import Recipe
from dragoman.data.batching.augmentation import augmentation
from dragoman.data.batching.stream import BatchStream, Position
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.inference.translator import Translator
from dragoman.engine.runtime import keep_freed_memory
from dragoman.engine.tasks.translation import TranslationTask
from dragoman.engine.training.beginning import begin_model
from dragoman.engine.training.loop import Plan, train
from dragoman.engine.training.preparation import Prepared, prepare
from dragoman.engine.training.report import Report
from dragoman.neural.optim.average import WeightAverage
from dragoman.neural.optim.optimiser import build_optimiser

CPU = torch.device("cpu")
TRIED = 20
"""Seconds of trial steps from which the steps of the whole budget are reckoned."""


class Stopwatch:
    """Processor time since it was made, less the pauses."""

    def __init__(self) -> None:
        self._began, self._away = time.process_time(), 0.0

    @property
    def minutes(self) -> float:
        """Core-minutes so far."""
        return (time.process_time() - self._began - self._away) / 60

    def pause(self, work: Callable[[], None]) -> None:
        """Do something that does not count."""
        paused = time.process_time()
        work()
        self._away += time.process_time() - paused


class Training:
    """A recipe's network in training; its translator uses the averaged weights where there are."""

    def __init__(self, recipe: Recipe, folder: Path) -> None:
        torch.set_num_threads(1)
        keep_freed_memory()
        self.recipe = recipe
        self.run = RunFolder(folder)
        self.ready: Prepared = prepare(self.run, recipe)
        self.watch = Stopwatch()
        self.model = begin_model(recipe, self.ready)
        self.average = self._average()
        self.task = TranslationTask(self.model, recipe.objective)
        self.tokens = 0

    def _average(self) -> WeightAverage | None:
        decay = self.recipe.training.average
        return WeightAverage(self.model, decay) if decay else None

    def steps_in(self, minutes: float) -> int:
        """Reckon the steps that fit into a time, by taking some; start anew afterwards."""
        taken = 0
        trial = Stopwatch()
        copy = {name: weight.clone() for name, weight in self.model.state_dict().items()}

        def stop(report: Report) -> None:
            nonlocal taken
            taken = report.step
            if trial.minutes * 60 > TRIED:
                raise StopIteration

        def work() -> None:
            try:
                self._train(1_000_000, stop)
            except StopIteration:
                self.model.load_state_dict(copy)
                self.average = self._average()

        self.watch.pause(work)
        return max(20, int((minutes - self.watch.minutes) / (trial.minutes / taken)))

    def train(self, steps: int, look: Callable[[], None]) -> None:
        """Take the steps, with a look after each."""

        def after(report: Report) -> None:
            self.tokens += report.tokens
            look()

        self._train(steps, after)

    def translate(self, texts: list[str], beam: int) -> list[str]:
        """Translate with the present weights."""
        translator = Translator(
            self.model,
            self.ready.tokenizer,
            self.recipe.decoding,
            longest=self.ready.longest_source,
            device=CPU,
            corpus=self.recipe.corpus,
        )
        if self.average:
            self.average.swap(self.model)
        self.model.eval()
        found = translator.translate(texts, beam=beam)
        if self.average:
            self.average.swap(self.model)
        return found

    def _train(self, steps: int, watcher: Callable[[Report], None]) -> None:
        recipe, ready = self.recipe, self.ready
        training = recipe.training.model_copy(update={"steps": steps})
        warmup = max(1, round(recipe.schedule.warmup * steps / recipe.training.steps))
        schedule = recipe.schedule.model_copy(update={"warmup": warmup})
        changes = augmentation(ready.tokenizer, recipe.augmentation, recipe.seed, len(ready.store))
        batches = BatchStream(ready.store, recipe.batches, recipe.seed, None, changes).at(
            Position()
        )
        optimiser = build_optimiser(self.model, recipe.optimiser)
        plan = Plan(training, schedule, recipe.optimiser.rate, recipe.seed, CPU)
        try:
            train(self.task, batches, optimiser, self.average, plan, [watcher])
        finally:
            batches.close()
