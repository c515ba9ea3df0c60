"""Training a recipe for a number of core-minutes, with the product's own loop.

One thread; minutes are processor time of this process, judging left out, so that a busy machine
costs a run its speed but not its steps.
"""

import contextlib
import time
from collections.abc import Callable
from pathlib import Path

import torch

from dragoman.config.recipe import Recipe
from dragoman.data.batching.augmentation import augmentation
from dragoman.data.batching.stream import BatchStream, Position
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.runtime import keep_freed_memory
from dragoman.engine.training.loop import TrainingPlan, train
from dragoman.engine.training.report import StepReport
from dragoman.neural.optim.average import WeightAverage
from dragoman.neural.optim.optimizer import build_optimizer
from dragoman.tasks.common.teacher_forcing import SequenceToSequenceObjective
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.initialization import begin_model
from dragoman.tasks.translation.prepare import PreparedPairs, prepare

CPU = torch.device("cpu")
RECKONED = 12
"""How often the number of steps is reckoned anew."""


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
        self.ready: PreparedPairs = prepare(self.run, recipe)
        self.watch = Stopwatch()
        self.model = begin_model(recipe, self.ready)
        self.average = self._average()
        self.task = SequenceToSequenceObjective(self.model, recipe.objective)
        self.tokens = 0

    def _average(self) -> WeightAverage | None:
        decay = self.recipe.training.ema_decay
        return WeightAverage(self.model, decay) if decay else None

    def train(self, minutes: float, look: Callable[[], None]) -> None:
        """Train until so many core-minutes are spent, with a look after each step.

        How many steps that makes is reckoned anew on the way, from those that were taken: so the
        rate comes down to nothing with the last of them, however busy the machine.
        """
        recipe, ready = self.recipe, self.ready
        changes = augmentation(ready.tokenizer, recipe.augmentation, recipe.seed, len(ready.store))
        stream = BatchStream(ready.store, recipe.batches, recipe.seed, None, changes)
        batches = stream.at(Position())
        optimizer = build_optimizer(self.model, recipe.optimizer)
        steps, done, begun = recipe.training.steps, 0, self.watch.minutes
        until = begun

        def after(report: StepReport) -> None:
            nonlocal done
            done = report.step
            self.tokens += report.tokens
            look()
            if self.watch.minutes > until:
                raise StopIteration

        try:
            while done < steps:
                until = self.watch.minutes + (minutes - begun) / RECKONED
                settings = recipe.training.model_copy(update={"steps": steps})
                plan = TrainingPlan(
                    settings, recipe.schedule, recipe.optimizer.rate, recipe.seed, CPU
                )
                with contextlib.suppress(StopIteration):
                    train(self.task, batches, optimizer, self.average, plan, [after], done)
                one = (self.watch.minutes - begun) / done
                steps = done + int(max(0.0, minutes - self.watch.minutes) / one)
        finally:
            batches.close()

    def translate(self, texts: list[str], beam: int) -> list[str]:
        """Translate with the present weights."""
        translator = BareTranslator(
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
