"""Training speed of a recipe on this machine, measured by some of its real steps."""

import statistics
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dragoman.config.recipe import Recipe
from dragoman.config.task import TranslationTaskSettings
from dragoman.core.console import console
from dragoman.data.batching.endless import Position
from dragoman.data.corpus.corpus import Corpus, open_corpus
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.state import Progress, TrainerParts, save_state
from dragoman.engine.runtime import Runtime, start
from dragoman.engine.training.loop import TrainingPlan, train
from dragoman.engine.training.objective import Objective
from dragoman.engine.training.report import StepReport, Stop
from dragoman.engine.training.task import Task
from dragoman.neural.optim.average import WeightAverage
from dragoman.neural.optim.optimizer import build_optimizer
from dragoman.planner.batch_cost import BatchCost
from dragoman.planner.facts import sample
from dragoman.tasks.common.preparation import prepare_once
from dragoman.tasks.open import open_task
from dragoman.tasks.translation.prepare import prepare_corpus

WARM_UP = 5
"""Steps that are not counted: the first ones pay for memory and for kernels being chosen."""

PROGRAM = 300 * 2**20
"""Bytes of the program and torch before anything is trained."""

FEWEST = 5
"""Steps that are counted, however long they take."""

ENDLESS = 2_000_000
"""Steps of the training that the measured ones stand in the middle of: scheduled sampling may begin
with some that are faster."""


@dataclass(frozen=True)
class Speed:
    """The cost of a recipe's steps on this machine: time, FLOPs and memory."""

    seconds: float
    """Of a step, by the clock; the mean, for batches differ."""

    tokens: float
    """Target tokens of a step, on average; texts, words or images where these are trained on."""

    steps_per_epoch: float
    """Of the whole corpus, also where a sample was measured."""

    parameters: int

    flops: float = 0.0
    """Of a step, forward and backward, by closed forms for the shapes of its batches."""

    memory: int = 0
    """Bytes of training at its highest, predicted for the largest batch that was met."""

    validation: float = 0.0
    """Seconds of a validation; 0 where it was not measured."""

    checkpoint: float = 0.0
    """Seconds of storing a state; 0 where it was not measured."""

    error: float = 0.0
    """Standard error of the mean of the seconds, as a share of it."""

    threads: int = 0


def resident(speed: Speed) -> int:
    """Return the bytes of a whole process that trains: the program, torch, and the training."""
    return PROGRAM + speed.memory


@dataclass(frozen=True)
class SpeedMeasurement:
    """A measured speed, with the batches that it was measured on."""

    speed: Speed
    batches: BatchCost


@dataclass(frozen=True)
class SampleRun:
    """A run folder that holds a sample of a corpus, for any size of a recipe's network."""

    folder: RunFolder
    share: float
    """Of the training examples that are in the sample."""

    def measure(self, recipe: Recipe, seconds: float, *, whole: bool = False) -> SpeedMeasurement:
        """Take real steps for some seconds; the `whole` includes a validation and a checkpoint."""
        runtime = start(recipe.training)
        with _silence():
            task = open_task(self.folder, _brief(recipe), runtime, fresh=False)
            model = task.objective.model
            decay = recipe.training.ema_decay
            average = WeightAverage(model, decay) if decay else None
            trained = TrainerParts(model, build_optimizer(model, recipe.optimizer), average)
            cost = BatchCost(recipe, self.folder, task.guesses)
            reports = _steps(task, recipe, runtime, trained, cost, seconds)
            took = [one.seconds for one in reports]
            accumulate = recipe.training.accumulate
            batches = len(task.train_batches().plan(0))
            speed = Speed(
                seconds=statistics.fmean(took),
                tokens=statistics.fmean(one.targets for one in reports),
                steps_per_epoch=batches / self.share / accumulate,
                parameters=sum(weight.numel() for weight in model.parameters()),
                flops=cost.flops * accumulate,
                memory=cost.memory,
                validation=_timed(lambda: _validate(task)) if whole else 0.0,
                checkpoint=_timed(lambda: self._store(trained)) if whole else 0.0,
                error=_standard_error(took),
                threads=runtime.threads,
            )
        return SpeedMeasurement(speed, cost)

    def _store(self, trained: TrainerParts) -> None:
        with tempfile.TemporaryDirectory(dir=self.folder.path) as states:
            save_state(Path(states), trained, Progress(step=1))


@contextmanager
def sample_run(recipe: Recipe, corpus: Corpus | None = None) -> Iterator[SampleRun]:
    """Prepare the data of a recipe in a temporary run folder, sentence pairs by a sample of them.

    A translator's `corpus` may be given where it is open already; other data are prepared whole
    when the recipe is measured.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        folder, share = RunFolder(Path(place)), 1.0
        if isinstance(recipe.task, TranslationTaskSettings):
            with _silence():
                chosen = recipe.corpus_for(TranslationTaskSettings)
                corpus = corpus or open_corpus(chosen, recipe.seed)
                pairs = sample(corpus)
                part = replace(
                    corpus, train=lambda: iter(pairs), train_pairs=len(pairs), findings=[]
                )
                prepare_once(folder, recipe, lambda: prepare_corpus(folder, recipe, part))
            share = len(pairs) / corpus.train_pairs
        yield SampleRun(folder, share)


def measure(recipe: Recipe, seconds: float, corpus: Corpus | None = None) -> Speed:
    """Train on a sample for some seconds and say what a step takes; the weights are thrown away."""
    with sample_run(recipe, corpus) as prepared:
        return prepared.measure(recipe, seconds).speed


def _brief(recipe: Recipe) -> Recipe:
    """Return a recipe whose outputs end where their sources do, as those of a trained network.

    Untrained networks seldom write the end of a text, and their validation would take too long.
    """
    brief = {"max_length_ratio": 1.0, "max_length_extra": 1}
    return recipe.model_copy(update={"decoding": recipe.decoding.model_copy(update=brief)})


def _steps(
    task: Task,
    recipe: Recipe,
    runtime: Runtime,
    trained: TrainerParts,
    cost: BatchCost,
    seconds: float,
) -> list[StepReport]:
    """Take steps of the training loop until they have lasted long enough."""
    reports: list[StepReport] = []

    def enough(report: StepReport) -> None:
        reports.append(report)
        counted = reports[WARM_UP:]
        if len(counted) >= FEWEST and sum(one.seconds for one in counted) >= seconds:
            raise Stop("measured")

    training = recipe.training.model_copy(update={"steps": ENDLESS})
    # The weights stand still, which takes as long as moving them and cannot diverge.
    plan = TrainingPlan(training, recipe.schedule, 0.0, recipe.seed, runtime.device)
    stream = task.train_batches().at(Position())
    try:
        train(
            task.objective,
            _noted(stream, task.objective, cost),
            trained.optimizer,
            trained.average,
            plan,
            [enough],
            start=ENDLESS // 2,
        )
    except Stop:
        pass
    finally:
        stream.close()
    return reports[WARM_UP:]


def _noted(
    stream: Generator[tuple[Any, Position], None, None], objective: Objective, cost: BatchCost
) -> Iterator[tuple[Any, Position]]:
    for batch, position in stream:
        cost.note(batch, objective.denominator(batch))
        yield batch, position


def _validate(task: Task) -> None:
    task.objective.model.eval()
    task.validate(lambda _: None)


def _timed(work: Callable[[], None]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _standard_error(took: list[float]) -> float:
    return statistics.stdev(took) / len(took) ** 0.5 / statistics.fmean(took)


@contextmanager
def _silence() -> Iterator[None]:
    """Keep what a run would say of its preparation to itself."""
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before
