"""The weights of a run as they are to be handed on: as they are, or the mean of its best."""

import json
from pathlib import Path

import torch

from dragoman.core.errors import CheckpointError
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.state import stored_states
from dragoman.engine.checkpoint.weights import StoredWeights, Tensors, read_weights


def mean_of(many: list[Tensors]) -> Tensors:
    """Average tensors; of whole numbers, as batch norms count batches with, keep the first."""
    return {
        name: torch.stack([one[name] for one in many]).mean(dim=0)
        if tensor.is_floating_point()
        else tensor
        for name, tensor in many[0].items()
    }


def weights_to_use(run: RunFolder, *, average: bool = False) -> StoredWeights:
    """Return the weights of a run, or the mean of the best ones that it has kept."""
    chosen = read_weights(run.model)
    if not average:
        return chosen
    files = _best(run)
    if len(files) < 2:
        raise CheckpointError(
            f"{run.best}: holds {len(files)} of the best weights, and an average needs two. Leave "
            "out --average, or train with training.keep = 3 and more validations."
        )
    many = [read_weights(path).tensors for path in files]
    if any(one.keys() != chosen.tensors.keys() for one in many):
        raise CheckpointError(
            f"{run.best}: holds weights with an adapter beside them, which --average does not "
            "join. Train with training.final = 'averaged' instead."
        )
    steps = ",".join(path.stem.removeprefix("step-") for path in files)
    notes = {**chosen.notes, "chosen": "averaged", "averaged": steps}
    return StoredWeights(mean_of(many), notes)


def _best(run: RunFolder) -> list[Path]:
    """Return the files of the best weights, best first.

    The newest state tells which they are; without one all that are there are taken.
    """
    stored = sorted(run.best.glob("step-*.safetensors"))
    for state in reversed(stored_states(run.states)):
        try:
            kept = json.loads((state / "progress.json").read_bytes())["watchers"]["best"]["kept"]
            named = [run.best / f"step-{int(step)}.safetensors" for _, step in kept]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            continue
        return [path for path in named if path in stored]
    return stored
