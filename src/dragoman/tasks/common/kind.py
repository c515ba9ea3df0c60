"""A kind of task, as the commands know it: what each folder of `tasks/` brings."""

from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from dragoman.config.recipe import Recipe
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.runtime import Runtime
from dragoman.engine.training.task import Task
from dragoman.tasks.common.card import CardReport, Evaluation

Predictor = TypeVar("Predictor", covariant=True)


class TaskFactory(Protocol):
    """Prepares what a recipe asks for, ready to be trained."""

    def __call__(self, run: RunFolder, recipe: Recipe, runtime: Runtime, *, fresh: bool) -> Task:
        """Open the task; `fresh` draws first weights, which else will be replaced."""
        ...


class RunLoader(Protocol[Predictor]):
    """Loads a trained run for use."""

    def __call__(self, run: str | Path, *, device: str = "auto") -> Predictor:
        """Load the network of a run folder."""
        ...


@dataclass(frozen=True)
class TaskKind(Generic[Predictor]):
    """All that differs between tasks: training, loading, evaluating and describing their runs."""

    open: TaskFactory
    load: RunLoader[Predictor]
    report: CardReport
    tests: Callable[[Path, Sequence[Path]], Mapping[str, Sized]]
    """The sets to test a run on: its own, or those of given files."""
    evaluate: Callable[[Path, Sequence[Path], Callable[[int], None]], Sequence[Evaluation]]
    """Judge a run on these sets, tell after each batch, and store scores and card."""
    progress: str
    """What is done meanwhile, for people who wait."""
