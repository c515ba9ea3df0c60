"""Checkpoints of a run: its newest states for a resume, its best weights for use."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from dragoman.config.training import TrainingSettings
from dragoman.core.console import say
from dragoman.core.errors import CheckpointError
from dragoman.core.files import explain_write_error, remove_leftovers
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.merged_weights import is_adapted, plain_weights
from dragoman.engine.checkpoint.state import Progress, TrainerParts, save_state, stored_states
from dragoman.engine.checkpoint.weight_averaging import mean_of
from dragoman.engine.checkpoint.weights import load_weights, read_weights, weights_of, write_weights
from dragoman.engine.training.early_stopping import Verdict
from dragoman.engine.training.report import Stateful, StepReport

STATES_KEPT = 2  # the newest, and one to go back to should it be damaged


class BestWeights:
    """Keep the weights of the best validations, within a number and a disk budget.

    Files that are no longer among the best go only when two further states are stored: a resume
    from either of them may still count them in.
    """

    def __init__(
        self,
        folder: RunFolder,
        trained: TrainerParts,
        settings: TrainingSettings,
        notes: Mapping[str, str],
    ) -> None:
        self.folder, self.trained, self.settings, self.notes = folder, trained, settings, notes
        self.kept: list[tuple[float, int]] = []  # (figure, step), best first
        self._kept_before = self.kept  # when the state before the newest was stored

    def __call__(self, verdict: Verdict) -> None:
        """Store the weights just judged, if they are among the best."""
        figure = verdict.figure(self.settings.best_metric)
        ranked = sorted([*self.kept, (figure, verdict.step)], key=lambda k: (-k[0], k[1]))
        best = ranked[: self._most()]
        if (figure, verdict.step) in best:
            self._write(self._path(verdict.step), self.usable(), verdict.step, "best")
            if best[0][1] == verdict.step:
                self._write(self.folder.model, self._plain(), verdict.step, "best")
        self.kept = best

    def usable(self) -> dict[str, Tensor]:
        """Return the weights that are validated and used: the average where there is one."""
        average = self.trained.average
        weights = weights_of(self.trained.model)
        return {**weights, **average.weights} if average else weights

    def finish(self, step: int) -> None:
        """Write the weights of the finished run as `training.final` says."""
        final = self.settings.final
        stored = {} if final == "last" else self._stored()
        self.notes = {**self.notes, "finished": json.dumps(_ending(self.settings, step))}
        steps = [*stored][: None if final == "averaged" else 1]
        chosen = mean_of([stored[s] for s in steps]) if steps else self.usable()
        if is_adapted(self.trained.model):
            load_weights(self.trained.model, chosen, self.folder.best)
            chosen = plain_weights(self.trained.model)
        at, why = (steps[0], final) if steps else (step, "last")
        self._write(self.folder.model, chosen, at, why)

    def _plain(self) -> dict[str, Tensor]:
        """Return the usable weights as a network without adapters would have them."""
        model, average = self.trained.model, self.trained.average
        if not is_adapted(model):
            return self.usable()
        if average:
            average.swap(model)
        try:
            return plain_weights(model)
        finally:
            if average:
                average.swap(model)

    def _stored(self) -> dict[int, dict[str, Tensor]]:
        """Read the best weights back, best first; without one of them the end would be another."""
        try:
            return {step: read_weights(self._path(step)).tensors for _, step in self.kept}
        except CheckpointError as error:
            raise CheckpointError(
                f"{error} All steps are done and stored; to do without the best weights, run the "
                "same command with training.final=last."
            ) from None

    def prune(self) -> None:
        """Remove the files of weights that are no longer among the best."""
        wanted = {self._path(step) for _, step in [*self.kept, *self._kept_before]}
        self._kept_before = self.kept
        for path in self.folder.best.glob("*"):
            if path not in wanted:
                path.unlink(missing_ok=True)

    def state(self) -> dict[str, Any]:
        """Return which steps are the best."""
        return {"kept": self.kept}

    def restore(self, state: dict[str, Any]) -> None:
        """Take them back."""
        self.kept = [(figure, step) for figure, step in state.get("kept", [])]
        self._kept_before = self.kept

    def _most(self) -> int:
        """Return how many fit: two states take about three times the weights each."""
        size = sum(w.numel() * w.element_size() for w in weights_of(self.trained.model).values())
        states = STATES_KEPT * size * (4 if self.trained.average else 3)
        fit = int((self.settings.disk * 2**30 - states) // max(1, size))
        return max(1, min(self.settings.keep, fit))

    def _path(self, step: int) -> Path:
        return self.folder.best / f"step-{step}.safetensors"

    def _write(self, path: Path, tensors: dict[str, Tensor], step: int, chosen: str) -> None:
        with explain_write_error(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_weights(path, tensors, {**self.notes, "step": str(step), "chosen": chosen})


class Checkpoints:
    """Store the trainer's state every so many steps, and the last one on leaving."""

    def __init__(
        self,
        folder: RunFolder,
        trained: TrainerParts,
        remembering: Mapping[str, Stateful],
        best: BestWeights,
        every: int,
    ) -> None:
        self.folder, self.trained, self.remembering = folder, trained, remembering
        self.best, self.every = best, every
        self._last: StepReport | None = None

    @property
    def step(self) -> int:
        """The newest step of this process; 0 before its first."""
        return self._last.step if self._last else 0

    def note(self, report: StepReport) -> None:
        """Remember the newest step; stands first among the watchers."""
        self._last = report

    def __call__(self, report: StepReport) -> None:
        """Store a state where one is due; stands last among the watchers."""
        if report.step % self.every == 0:
            self.save()

    def save(self) -> None:
        """Store the state after the newest step."""
        if self._last is None:
            return
        progress = Progress(
            step=self._last.step,
            epoch=self._last.position.epoch,
            batch=self._last.position.index,
            skipped=self._last.skipped,
            watchers={name: watcher.state() for name, watcher in self.remembering.items()},
        )
        with explain_write_error(self.folder.states):
            self.folder.states.mkdir(parents=True, exist_ok=True)
        remove_leftovers(self.folder.states)
        save_state(self.folder.states, self.trained, progress)
        for old in stored_states(self.folder.states)[:-STATES_KEPT]:
            shutil.rmtree(old, ignore_errors=True)
        self.best.prune()


def final_step(folder: RunFolder, settings: TrainingSettings) -> int | None:
    """Return a run's last step if it has come to the end that these settings ask for."""
    if not folder.model.is_file() or not folder.card.is_file():  # the card is written last
        return None
    try:
        ending = json.loads(read_weights(folder.model).notes.get("finished", "null"))
    except CheckpointError as error:
        say(f"{error} The weights are written again from the best ones.", style="yellow")
        return None
    return ending["step"] if ending and ending == _ending(settings, ending["step"]) else None


def _ending(settings: TrainingSettings, step: int) -> dict[str, Any]:
    """Name all that decides where a run ends and what weights it leaves."""
    asked = settings.model_dump(include={"steps", "patience", "keep", "final", "disk"})
    return {"step": step, **asked}
