"""Trainer states: all that an exact resume needs, in one folder that appears whole or not at all.

state/step-1000/
  model.safetensors      the weights being trained
  average.safetensors    their moving average, where there is one
  optimiser.safetensors  the optimiser's moments
  progress.json          step, place in the data, what the watchers remember
  manifest.json          size and checksum of each of these
"""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.optim import Optimizer

from dragoman.core.console import say
from dragoman.core.errors import CheckpointError
from dragoman.core.files import new_folder, sha256
from dragoman.engine.checkpoint.folder import FORMAT
from dragoman.engine.checkpoint.weights import load_weights, weights_of
from dragoman.neural.optim.average import WeightAverage

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Progress:
    """How far a training has come."""

    step: int = 0
    epoch: int = 0
    batch: int = 0
    """Batches of this epoch that have been used."""
    watchers: dict[str, Any] = field(default_factory=dict)
    """What each watcher remembers, by name; plain JSON values."""


@dataclass(frozen=True)
class Trained:
    """The things with tensors in them that a state stores."""

    model: nn.Module
    optimiser: Optimizer
    average: WeightAverage | None


def save_state(folder: Path, trained: Trained, progress: Progress) -> Path:
    """Store a state; it is on the disk, complete, when this returns."""
    path = folder / f"step-{progress.step}"
    if path.exists():
        return path
    with _full_disk_said(path), new_folder(path) as beside:
        save_file(_clones(weights_of(trained.model)), beside / "model.safetensors")
        save_file(_optimiser_tensors(trained.optimiser), beside / "optimiser.safetensors")
        details: dict[str, Any] = {"format": FORMAT, **vars(progress)}
        if trained.average:
            save_file(trained.average.weights, beside / "average.safetensors")
            details["average_updates"] = trained.average.updates
        (beside / "progress.json").write_text(json.dumps(details), encoding="utf-8")
        manifest = {f.name: {"size": f.stat().st_size, "sha256": sha256(f)} for f in _files(beside)}
        (beside / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    return path


def newest_state(folder: Path) -> Path | None:
    """Return the newest undamaged state, saying which damaged ones were passed over."""
    states = stored_states(folder)
    for path in reversed(states):
        try:
            check_state(path)
        except CheckpointError as error:
            say(f"{error} Going back to the state before it.", style="yellow")
            continue
        return path
    if states:
        raise CheckpointError(
            f"{folder}: every stored state is damaged. "
            "Remove this folder to train from the beginning."
        )
    return None


def stored_states(folder: Path) -> list[Path]:
    """Return the complete states in a folder, oldest first."""
    found = [p for p in folder.glob("step-*") if p.is_dir() and p.name[5:].isdigit()]
    return sorted(found, key=lambda p: int(p.name[5:]))


def check_state(path: Path) -> None:
    """Compare every file of a state with its manifest."""
    try:
        manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
        expected = {name: entry["sha256"] for name, entry in manifest.items()}
        present = {f.name: sha256(f) for f in _files(path) if f.name != MANIFEST}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CheckpointError(f"{path}: its manifest cannot be read ({error}).") from None
    if expected != present:
        wrong = sorted(n for n in {*expected, *present} if expected.get(n) != present.get(n))
        raise CheckpointError(f"{path}: damaged ({', '.join(wrong)}).")


def load_state(path: Path, trained: Trained) -> Progress:
    """Put a stored state back into a model, its optimiser and its average."""
    try:
        details = json.loads((path / "progress.json").read_text(encoding="utf-8"))
        if details.pop("format") != FORMAT:
            raise CheckpointError(f"{path}: was stored in another format than {FORMAT}.")
        load_weights(trained.model, load_file(path / "model.safetensors"), path)
        _restore_optimiser(trained.optimiser, load_file(path / "optimiser.safetensors"))
        updates = details.pop("average_updates", 0)
        if trained.average:
            averaged = load_file(path / "average.safetensors")
            for name, weight in trained.average.weights.items():
                weight.copy_(averaged[name])
            trained.average.updates = updates
        return Progress(**details)
    except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
        raise CheckpointError(f"{path}: does not fit this recipe ({error}).") from error


def remove_leftovers(folder: Path) -> None:
    """Take away what a crash left half written."""
    for path in folder.glob("*.tmp"):
        shutil.rmtree(path, ignore_errors=True)


def _files(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if p.is_file())


def _clones(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.contiguous() for name, tensor in tensors.items()}


def _optimiser_tensors(optimiser: Optimizer) -> dict[str, Tensor]:
    state = optimiser.state_dict()["state"]
    return {
        f"{number}.{key}": value.contiguous()
        for number, entry in state.items()
        for key, value in entry.items()
    }


def _restore_optimiser(optimiser: Optimizer, tensors: Mapping[str, Tensor]) -> None:
    state: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        number, key = name.split(".", 1)
        state.setdefault(int(number), {})[key] = tensor
    fresh = optimiser.state_dict()
    optimiser.load_state_dict({"state": state, "param_groups": fresh["param_groups"]})


@contextmanager
def _full_disk_said(path: Path) -> Iterator[None]:
    """Name the full disk behind the error of a writer that does not."""
    try:
        yield
    except SafetensorError as error:
        raise CheckpointError(
            f"{path}: could not be written ({error}). Is the disk full? "
            "The state before it is intact; free some space and run the command again."
        ) from error
