"""A recipe becomes a run: the one place where all the parts meet."""

import shutil
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from dragoman.config.reading import differences, find_recipe, read_recipe
from dragoman.config.recipe import Recipe
from dragoman.config.writing import recipe_to_toml
from dragoman.core.checksums import write_checked
from dragoman.core.console import progress_bar, say
from dragoman.core.errors import DragomanError, RunError
from dragoman.core.files import (
    explain_full_disk,
    explain_write_error,
    remove_leftovers,
)
from dragoman.core.lock import LOCK, only_process
from dragoman.data.batching.stream import Position
from dragoman.engine.checkpoint.adapter import save_adapter
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.merged_weights import is_adapted
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.engine.checkpoint.state import Progress, TrainerParts, load_state, newest_state
from dragoman.engine.runtime import Runtime, software_versions, start
from dragoman.engine.training.checkpointing import BestWeights, Checkpoints, final_step
from dragoman.engine.training.diagnosis import Diagnosis
from dragoman.engine.training.early_stopping import EarlyStopping
from dragoman.engine.training.interruption import Interrupted, Interruption, listen
from dragoman.engine.training.log import MetricsLog, TrainingLog
from dragoman.engine.training.loop import TrainingPlan
from dragoman.engine.training.loop import train as take_steps
from dragoman.engine.training.plateau import Plateaus
from dragoman.engine.training.report import Stateful, StepReport, Stop, Watcher
from dragoman.engine.training.validation import Validation
from dragoman.neural.optim.average import WeightAverage
from dragoman.neural.optim.optimizer import build_optimizer
from dragoman.plots.curves import draw_curves
from dragoman.tasks.common.card import write_card
from dragoman.tasks.common.preparation import add_checksums
from dragoman.tasks.open import open_task, task_kind

MAY_CHANGE = frozenset(
    f"training.{key}"
    for key in ("steps", "patience", "log_every", "validate_every", "checkpoint_every", "disk")
) | {"training.keep", "training.final", "training.bad_steps", "name"}
"""Keys that may differ when a run goes on; every other one would make it another run."""


@dataclass(frozen=True)
class TrainingResult:
    """The result of a training: its folder, its last step, and whether it was interrupted."""

    folder: Path
    step: int
    interrupted: int | None = None
    """Exit code for the signal that ended it, or None where it came to its end."""


def train(
    recipe: str | Path | Recipe, changes: Sequence[str] = (), *, folder: str | Path | None = None
) -> TrainingResult:
    """Train what a recipe describes, into `folder` or `runs/<name>`; go on where it stopped."""
    if not isinstance(recipe, Recipe):
        recipe = read_recipe(find_recipe(str(recipe)), changes)
    run = RunFolder(Path(folder) if folder else Path("runs") / recipe.name)
    made = [one for one in (run.path, *run.path.parents) if not one.exists()]
    with explain_write_error(run.path):
        run.path.mkdir(parents=True, exist_ok=True)
    try:
        with (
            explain_full_disk(run.path),
            only_process(run.path),
            _gone_if_nothing_began(run, made),
            listen() as interruption,
        ):
            return _train_in(run, recipe, interruption)
    except Interrupted as interrupted:  # it may strike on the way out of the folder, too
        say(f"stopped by {interrupted}; run the same command to resume.")
        return TrainingResult(run.path, 0, interrupted.exit_code)


@contextmanager
def _gone_if_nothing_began(run: RunFolder, made: Sequence[Path]) -> Iterator[None]:
    """Take a new run away again if an error ends it before its first step, with folders made.

    A mended recipe would be refused there as another one, and nobody can use what is left.
    """
    was_empty = [one.name for one in run.path.iterdir()] == [LOCK]
    try:
        yield
    except DragomanError:
        if was_empty and not run.metrics.exists() and newest_state(run.states) is None:
            with suppress(OSError):  # what failed before is told, and not this
                for one in run.path.iterdir():
                    shutil.rmtree(one) if one.is_dir() else one.unlink()
            for one in made:
                with suppress(OSError):  # something else is in it by now
                    one.rmdir()
        raise


def _train_in(run: RunFolder, recipe: Recipe, interruption: Interruption) -> TrainingResult:
    recipe = _check_same(run, recipe)
    step = final_step(run, recipe.training)
    if step is not None:
        add_checksums(run)
        say(f"{run.path}: this run is finished (step {step}); nothing to do.")
        return TrainingResult(run.path, step)
    remove_leftovers(run.path, run.data, run.best, run.states)
    runtime = start(recipe.training)
    write_checked(run.recipe, resolve_recipe(recipe, runtime))
    say(f"{recipe.name}: {runtime}; run folder {run.path}")
    warm_up, steps = recipe.schedule.warmup_steps, recipe.training.steps
    if warm_up >= steps:
        say(
            f"schedule.warmup_steps = {warm_up} is not less than training.steps = {steps}, so the "
            f"learning rate never falls{'' if warm_up == steps else ', nor reaches its highest'}. "
            f"Lower the first or raise the second.",
            "yellow",
        )
    training = _Training(run, recipe, runtime, interruption)
    return training.run_to_the_end()


def resolve_recipe(recipe: Recipe, runtime: Runtime) -> str:
    """Return the recipe that repeats a run: every key, and the software that made it."""
    threads = recipe.training.model_copy(update={"threads": runtime.threads})
    whole = recipe.model_copy(
        update={"training": threads, "made_with": software_versions(runtime.threads)}
    )
    return (
        "# This run, fully resolved. It can be repeated from this file alone:\n"
        "#     dragoman train recipe.toml --output ANOTHER_FOLDER\n" + recipe_to_toml(whole)
    )


def _check_same(run: RunFolder, recipe: Recipe) -> Recipe:
    """Refuse to go on with another recipe; return it with the threads the run began with."""
    if not run.recipe.is_file():
        return recipe
    before = read_recipe(run.recipe)
    if recipe.training.threads == 0:
        threads = {"threads": before.training.threads}
        recipe = recipe.model_copy(update={"training": recipe.training.model_copy(update=threads)})
    changed = differences(before, recipe)
    refused = {key: both for key, both in changed.items() if key not in MAY_CHANGE}
    if refused:
        told = "; ".join(f"{key} was {old!r}, now {new!r}" for key, (old, new) in refused.items())
        raise RunError(
            f"{run.path}: holds a run of another recipe ({told}). "
            "Give this one another folder with --output, or remove that one."
        )
    return recipe


class _Training:
    """The parts of one training, put together."""

    def __init__(
        self, run: RunFolder, recipe: Recipe, runtime: Runtime, interruption: Interruption
    ) -> None:
        self.run, self.recipe, self.runtime = run, recipe, runtime
        self.interruption = interruption
        settings = recipe.training
        self.task = open_task(run, recipe, runtime, fresh=newest_state(run.states) is None)
        add_checksums(run)  # only now: what is opened has the size that it should have
        model = self.task.objective.model
        average = WeightAverage(model, settings.ema_decay) if settings.ema_decay else None
        self.trained = TrainerParts(model, build_optimizer(model, recipe.optimizer), average)
        self.log = MetricsLog(run.metrics)
        self.best = BestWeights(run, self.trained, settings, self.task.notes)
        self.stopping = EarlyStopping(settings.best_metric, settings.patience)
        self.plateaus = Plateaus.of(recipe.schedule)
        self.diagnosis = Diagnosis(self.log, self.task.guesses, self.task.held_out)
        self.validation = Validation(self.task, average, self.log, settings)
        self.validation.listeners = [self.stopping, self.plateaus, self.best, self.diagnosis.judged]
        self.validation.check = interruption.check

    def run_to_the_end(self) -> TrainingResult:
        """Take all the steps that are left, and write down what came of them."""
        parameters = sum(p.numel() for p in self.trained.model.parameters())
        say(f"{parameters:,} parameters")
        state = newest_state(self.run.states)
        progress = load_state(state, self.trained) if state else Progress()
        steps = self.recipe.training.steps
        with progress_bar("training", steps, progress.step) as bar:
            unit = self.recipe.task.unit
            seen = "tokens" if unit == "text" else f"{unit}s"
            steps_log = TrainingLog(self.log, self.recipe.training.log_every, bar, seen)
            checkpoints = self._checkpoints(steps_log)
            self._go_back_to(progress, steps_log)
            self.interruption.at_once = False
            try:
                last = self._take_steps(progress, checkpoints, steps_log)
                self._finish(last, checkpoints)
                self.interruption.check()
            except Interrupted as interrupted:
                checkpoints.save()
                say(f"stopped by {interrupted}; run the same command to resume.")
                step = checkpoints.step or progress.step
                return TrainingResult(self.run.path, step, interrupted.exit_code)
            finally:
                self.log.close()
        return TrainingResult(self.run.path, last)

    def _take_steps(
        self, progress: Progress, checkpoints: Checkpoints, steps_log: TrainingLog
    ) -> int:
        recipe, interruption = self.recipe, self.interruption
        self.validation.catch_up(progress.step)
        if self.stopping.due:
            return progress.step

        def stop_when_due(report: StepReport) -> None:
            if self.stopping.due:
                raise Stop(f"no better validation {recipe.training.patience} times in a row")

        def leave_when_asked(report: StepReport) -> None:
            interruption.check()

        watchers: list[Watcher] = [
            checkpoints.note,
            steps_log,
            self.diagnosis,
            self.validation,
            checkpoints,
            stop_when_due,
            leave_when_asked,
        ]
        stream = self.task.train_batches().at(Position(progress.epoch, progress.batch))
        plan = TrainingPlan(
            recipe.training,
            recipe.schedule,
            recipe.optimizer.learning_rate,
            recipe.seed,
            self.runtime.device,
            self.plateaus,
        )
        try:
            take_steps(
                self.task.objective,
                stream,
                self.trained.optimizer,
                self.trained.average,
                plan,
                watchers,
                progress.step,
                progress.skipped,
            )
        except Stop as stop:
            say(f"stopped early: {stop}.")
        finally:
            if isinstance(stream, Generator):
                stream.close()
        return checkpoints.step or progress.step

    def _finish(self, step: int, checkpoints: Checkpoints) -> None:
        checkpoints.save()
        with explain_write_error(self.run.card):  # of fewer steps: it would vouch for this end
            self.run.card.unlink(missing_ok=True)
        self.best.finish(step)
        if self.recipe.start is not None and is_adapted(self.trained.model):
            save_adapter(self.run.adapter, self.trained.model, self.recipe.start)
        draw_curves(read_log(self.run.metrics), self.run.curves, self.recipe.name)
        write_card(self.run, task_kind(self.recipe.task).report)
        say(f"finished at step {step}; the model is in {self.run.path}")

    def _go_back_to(self, progress: Progress, steps_log: TrainingLog) -> None:
        for name, watcher in self._remembering(steps_log).items():
            watcher.restore(progress.watchers.get(name, {}))
        if progress.step:
            say(f"resuming from step {progress.step}")

    def _remembering(self, steps_log: TrainingLog) -> dict[str, Stateful]:
        return {
            "metrics": self.log,
            "log": steps_log,
            "validation": self.validation,
            "stopping": self.stopping,
            "plateaus": self.plateaus,
            "best": self.best,
            "diagnosis": self.diagnosis,
        }

    def _checkpoints(self, steps_log: TrainingLog) -> Checkpoints:
        every = self.recipe.training.checkpoint_every
        remembering = self._remembering(steps_log)
        return Checkpoints(self.run, self.trained, remembering, self.best, every)
