"""Weights on disk: safetensors with a digest of their content, never pickle."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from dragoman.core.console import say
from dragoman.core.errors import CheckpointError
from dragoman.core.files import write_atomic

Tensors = dict[str, Tensor]

FILE = "file"
"""The note that says under which name weights were stored, so that no others take their place."""

TO_USE = "model.safetensors"
"""The weights that commands use."""


@dataclass(frozen=True)
class StoredWeights:
    """Tensors with the few words that were stored beside them."""

    tensors: Tensors
    notes: dict[str, str]


def weights_of(model: nn.Module) -> Tensors:
    """Return a model's weights by name, each shared one once, and its lasting buffers."""
    tensors = {name: weight.detach() for name, weight in model.named_parameters()}
    lasting = model.state_dict().keys()
    tensors |= {name: b.detach() for name, b in model.named_buffers() if name in lasting}
    return tensors


@torch.no_grad()
def load_weights(model: nn.Module, tensors: Mapping[str, Tensor], where: Path) -> None:
    """Copy stored weights into a model; every tensor must have its place and its shape."""
    own = weights_of(model)
    missing, unexpected = own.keys() - tensors.keys(), tensors.keys() - own.keys()
    if missing or unexpected:
        raise CheckpointError(
            f"{where}: does not belong to this model: "
            f"{len(missing)} tensors missing {sorted(missing)[:3]}, "
            f"{len(unexpected)} unexpected {sorted(unexpected)[:3]}."
        )
    for name, weight in own.items():
        if weight.shape != tensors[name].shape:
            raise CheckpointError(
                f"{where}: {name} has shape {list(tensors[name].shape)}, "
                f"the model wants {list(weight.shape)}."
            )
        weight.copy_(tensors[name])


def write_weights(path: Path, tensors: Tensors, notes: Mapping[str, str]) -> None:
    """Store tensors and notes in one step, with a digest over all of them."""
    on_cpu = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    words = {"format": "dragoman", **notes, FILE: path.name}
    write_atomic(path, _serialized(on_cpu, {**words, "digest": _digest(on_cpu, words)}))


def read_weights(path: Path) -> StoredWeights:
    """Read tensors back; a damaged file is an error, never a quiet change of numbers."""
    try:
        if not path.is_file():  # to open a pipe is to wait for its writer
            raise FileNotFoundError("there is no such file")
        with safe_open(path, framework="pt") as stored:
            notes = dict(stored.metadata() or {})
            tensors = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118
    except (SafetensorError, RuntimeError, MemoryError, OSError, ValueError, KeyError) as error:
        raise CheckpointError(f"{path}: cannot be read as weights ({error}).") from error
    if notes.pop("digest", None) != _digest(tensors, notes):
        raise CheckpointError(
            f"{path}: the content does not fit its checksum; the file is damaged. "
            "Use another copy, or train again."
        )
    _check_place(path, notes.pop(FILE, path.name))
    return StoredWeights(tensors, notes)


def _check_place(path: Path, written: str) -> None:
    """Refuse weights in the place of others; which ones are to be used, somebody may choose."""
    if written == path.name:
        return
    told = f"{path}: holds the weights that were written as {written}."
    if path.name != TO_USE:
        raise CheckpointError(f"{told} Use another copy.")
    say(told, style="yellow")


def _serialized(tensors: Tensors, notes: Mapping[str, str]) -> bytes:
    """Return the file's content; safetensors alone would put the notes in any order."""
    plain = save(tensors)
    begin = 8 + int.from_bytes(plain[:8], "little")
    header = {"__metadata__": dict(sorted(notes.items())), **json.loads(plain[8:begin])}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + plain[begin:]


def _digest(tensors: Mapping[str, Tensor], notes: Mapping[str, str]) -> str:
    digest = hashlib.sha256(json.dumps(notes, sort_keys=True).encode() if notes else b"")
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"{name}{tensor.dtype}{list(tensor.shape)}".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
