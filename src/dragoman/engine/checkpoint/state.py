"""Trainer states: all that an exact resume needs, in one folder that appears whole or not at all.

state/step-1000/
  model.safetensors      the weights being trained
  average.safetensors    their moving average, where there is one
  optimizer.safetensors  what the optimizer remembers, if anything
  progress.json          step, place in the data, what the watchers remember
  manifest.json          size and checksum of each of these
"""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.optim import Optimizer

from dragoman.core.bounded_read import read_bounded
from dragoman.core.console import say
from dragoman.core.errors import CheckpointError
from dragoman.core.files import explain_write_error, new_folder, sha256
from dragoman.engine.checkpoint.folder import FORMAT
from dragoman.engine.checkpoint.tensor_file import write_tensors
from dragoman.engine.checkpoint.weights import load_weights, weights_of
from dragoman.neural.optim.average import WeightAverage

OPTIMIZER = "optimizer.safetensors"
OPTIMIZERS = (OPTIMIZER, "optimiser.safetensors")
"""Its name now, and in states that were stored earlier."""
MANIFEST = "manifest.json"
LARGEST_MANIFEST = 1 << 20


@dataclass(frozen=True)
class Progress:
    """The progress of a training: step, epoch, batch."""

    step: int = 0
    epoch: int = 0
    batch: int = 0
    """Batches of this epoch that have been used."""
    skipped: int = 0
    """Steps in a row, up to this one, that were skipped because their gradient was not finite."""
    watchers: dict[str, Any] = field(default_factory=dict)
    """What each watcher remembers, by name; plain JSON values."""


@dataclass(frozen=True)
class TrainerParts:
    """The things with tensors in them that a state stores."""

    model: nn.Module
    optimizer: Optimizer
    average: WeightAverage | None


def save_state(folder: Path, trained: TrainerParts, progress: Progress) -> Path:
    """Store a state; it is on the disk, complete, when this returns."""
    path = folder / f"step-{progress.step}"
    if path.exists():
        if _is_whole(path):
            return path
        with explain_write_error(path):
            shutil.rmtree(path)
    with new_folder(path) as beside:
        write_tensors(_clones(weights_of(trained.model)), beside / "model.safetensors")
        write_tensors(_optimizer_tensors(trained.optimizer), beside / OPTIMIZER)
        details: dict[str, Any] = {"format": FORMAT, **vars(progress)}
        if trained.average:
            write_tensors(trained.average.weights, beside / "average.safetensors")
            details["average_updates"] = trained.average.updates
        (beside / "progress.json").write_text(json.dumps(details), encoding="utf-8")
        manifest = {
            file.name: {"size": file.stat().st_size, "sha256": sha256(file)}
            for file in _files(beside)
        }
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
    found = [p for p in folder.glob("step-*") if p.is_dir() and p.name[5:].isdecimal()]
    return sorted(found, key=lambda p: int(p.name[5:]))


def check_state(path: Path) -> None:
    """Compare every file of a state with its manifest."""
    try:
        expected = json.loads(read_bounded(path / MANIFEST, LARGEST_MANIFEST))
        if not isinstance(expected, dict) or not expected:
            raise ValueError("it lists no files")
        present = {file.name: _entry(file, expected.get(file.name)) for file in _files(path)}
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(f"{path}: its manifest cannot be read ({error}).") from None
    if expected != present:
        wrong = sorted(n for n in {*expected, *present} if expected.get(n) != present.get(n))
        raise CheckpointError(f"{path}: damaged ({', '.join(wrong)}).")


def load_state(path: Path, trained: TrainerParts) -> Progress:
    """Put a stored state back into a model, its optimizer and its average."""
    try:
        details = json.loads((path / "progress.json").read_text(encoding="utf-8"))
        if details.pop("format") != FORMAT:
            raise CheckpointError(f"{path}: was stored in another format than {FORMAT}.")
        load_weights(trained.model, load_file(path / "model.safetensors"), path)
        remembered = next(path / name for name in OPTIMIZERS if (path / name).exists())
        _restore_optimizer(trained.optimizer, load_file(remembered))
        updates = details.pop("average_updates", 0)
        if trained.average:
            averaged = load_file(path / "average.safetensors")
            for name, weight in trained.average.weights.items():
                weight.copy_(averaged[name])
            trained.average.updates = updates
        return Progress(**details)
    except (
        OSError, ValueError, KeyError, TypeError, StopIteration, SafetensorError, RuntimeError,
    ) as error:  # fmt: skip
        raise CheckpointError(f"{path}: does not fit this recipe ({error}).") from error


def _is_whole(path: Path) -> bool:
    try:
        check_state(path)
    except CheckpointError:
        return False
    return True


def _entry(file: Path, wanted: Any) -> Any:
    """Return what the manifest should say of a file; one of another size is not read at all."""
    size = file.stat().st_size
    if not isinstance(wanted, dict) or wanted.get("size") != size:
        return {"size": size}
    return {"size": size, "sha256": sha256(file)}


def _files(folder: Path) -> list[Path]:
    """Return the files of a state that its manifest speaks of."""
    return sorted(p for p in folder.iterdir() if p.is_file() and p.name != MANIFEST)


def _clones(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.contiguous() for name, tensor in tensors.items()}


def _optimizer_tensors(optimizer: Optimizer) -> dict[str, Tensor]:
    """Name each tensor by the number of its weight; a memory that is still empty is left out."""
    state = optimizer.state_dict()["state"]
    return {
        f"{number}.{key}": value.contiguous()
        for number, entry in state.items()
        for key, value in entry.items()
        if value is not None
    }


def _restore_optimizer(optimizer: Optimizer, tensors: Mapping[str, Tensor]) -> None:
    state: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        number, key = name.split(".", 1)
        state.setdefault(int(number), {})[key] = tensor
    fresh = optimizer.state_dict()
    optimizer.load_state_dict({"state": state, "param_groups": fresh["param_groups"]})
