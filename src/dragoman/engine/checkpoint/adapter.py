"""An adapter on disk: what was trained beside or in a network, without the network.

adapter.json          how it was adapted, and a digest of the weights that it belongs to
adapter.safetensors   the trained tensors, by their names in the adapted network

Of a prefix the keys and values are stored, never the network that made them. An adapter put on
other weights than its own would quietly give nonsense, so the digest is compared.
"""

import hashlib
import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import torch
from pydantic import TypeAdapter, ValidationError
from torch import Tensor, nn

from dragoman.config.former_keys import with_new_keys
from dragoman.config.start import FullStart, PrefixStart, StartSettings
from dragoman.core.bounded_read import read_bounded
from dragoman.core.checksums import LARGEST, check_seal, seal
from dragoman.core.errors import CheckpointError
from dragoman.core.files import write_atomic
from dragoman.engine.checkpoint.weights import Tensors, read_weights, write_weights
from dragoman.neural.adapt.adapting import adapt
from dragoman.neural.adapt.lora import lora_matrices
from dragoman.neural.adapt.parts import trainable_parameters
from dragoman.neural.adapt.prefix import prefixed_attentions

FORMAT = 1
WORDS, WEIGHTS = "adapter.json", "adapter.safetensors"

Settings: TypeAdapter[StartSettings] = TypeAdapter(StartSettings)


@torch.no_grad()
def adapter_weights(model: nn.Module) -> Tensors:
    """Return what an adapter is made of, by name: all trained tensors, and of prefixes P alone."""
    if any(matrix.kept is not None for matrix in lora_matrices(model).values()):
        raise CheckpointError("an adapter that is merged cannot be stored. Unmerge it first.")
    tensors: Tensors = {}
    made: set[int] = set()
    for name, attention in prefixed_attentions(model).items():
        if attention.prefix is not None:
            keys, values = attention.prefix()
            tensors |= {f"{name}.prefix.keys": keys, f"{name}.prefix.values": values}
            made |= {id(weight) for weight in attention.prefix.parameters()}
    trained = trainable_parameters(model)
    tensors |= {name: weight for name, weight in trained.items() if id(weight) not in made}
    return {name: tensor.detach() for name, tensor in tensors.items()}


def save_adapter(
    folder: Path, model: nn.Module, settings: StartSettings, new: Collection[str] = ()
) -> None:
    """Store the adapter of a network; `new` names the parts that its base did not have."""
    if isinstance(settings, FullStart):
        raise CheckpointError(f"{folder}: a network that was trained in full has no adapter.")
    tensors = adapter_weights(model)
    told = {
        "format": FORMAT,
        "start": settings.model_dump(mode="json", by_alias=True),
        "new": sorted(new),
        "base": _digest(_base(model, tensors)),
    }
    folder.mkdir(parents=True, exist_ok=True)
    write_weights(folder / WEIGHTS, tensors, {})
    write_atomic(folder / WORDS, json.dumps(seal(told), indent=1) + "\n")


def load_adapter(folder: Path, model: nn.Module, *, merged: bool = False) -> StartSettings:
    """Adapt a network that has its base's weights, and fill in what was learned.

    Weights with an adapter `merged` into them are not those of the base, and nobody compares them.
    """
    told = read_json(folder / WORDS)
    if told.get("format") != FORMAT:
        raise CheckpointError(f"{folder / WORDS}: was stored in another format than {FORMAT}.")
    try:
        start = with_new_keys({"start": told["start"]})[0]["start"]
        settings = Settings.validate_python(start)
        new, base = [str(name) for name in told["new"]], str(told["base"])
    except (ValidationError, KeyError, TypeError):
        raise CheckpointError(
            f"{folder / WORDS}: does not say how to adapt. Use another copy, or train again."
        ) from None
    tensors = read_weights(folder / WEIGHTS).tensors
    if not merged and _digest(_base(model, tensors)) != base:
        raise CheckpointError(
            f"{folder}: this adapter belongs to other weights than these. Use the run that it was "
            f"trained from ({settings.run})."
        )
    if isinstance(settings, PrefixStart):
        settings = settings.model_copy(update={"projection_width": None})
    parts = dict(model.named_parameters())
    adapt(model, settings, [*new, *(name for name in tensors if name in parts)])
    _fill(trainable_parameters(model), tensors, folder / WEIGHTS)
    return settings


def read_json(path: Path) -> dict[str, Any]:
    """Read the few words beside an adapter."""
    try:
        told = json.loads(read_bounded(path, LARGEST))
        check_seal(told)
        if not isinstance(told, dict):
            raise ValueError("it is no object")
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(f"{path}: cannot be read ({error}).") from None
    return told


@torch.no_grad()
def _fill(own: Mapping[str, Tensor], tensors: Tensors, where: Path) -> None:
    if own.keys() != tensors.keys():
        wrong = sorted(own.keys() ^ tensors.keys())
        raise CheckpointError(f"{where}: does not fit what adapter.json says: {wrong[:3]}.")
    for name, weight in own.items():
        if weight.shape != tensors[name].shape:
            raise CheckpointError(
                f"{where}: {name} has shape {list(tensors[name].shape)}, "
                f"the network wants {list(weight.shape)}."
            )
        weight.copy_(tensors[name])


def _base(model: nn.Module, adapter: Tensors) -> Tensors:
    """Return the weights that an adapter leaves as they are."""
    made = {
        id(w)
        for a in prefixed_attentions(model).values()
        if a.prefix
        for w in a.prefix.parameters()
    }
    return {
        name: weight.detach()
        for name, weight in model.named_parameters()
        if name not in adapter and id(weight) not in made
    }


def _digest(tensors: Tensors) -> str:
    digest = hashlib.sha256()
    for name in sorted(tensors):
        tensor = tensors[name].cpu().contiguous()
        digest.update(f"{name}{tensor.dtype}{list(tensor.shape)}".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
