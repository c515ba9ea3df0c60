"""The two files of a peft adapter: adapter_config.json and adapter_model.safetensors.

Older adapters are a pickle, adapter_model.bin, which can run a stranger's code: it is never read.
"""

import json
from pathlib import Path
from typing import Any

from safetensors.torch import save

from dragoman.core.errors import CheckpointError
from dragoman.core.files import write_atomic
from dragoman.engine.checkpoint.weights import Tensors
from dragoman.interop.foreign import read_keys
from dragoman.interop.tensor_source import StoredTensors

CONFIG, WEIGHTS, PICKLE = "adapter_config.json", "adapter_model.safetensors", "adapter_model.bin"


def read_settings(folder: Path) -> dict[str, Any]:
    """Return what a peft adapter says of itself."""
    if not (folder / CONFIG).exists():
        raise CheckpointError(
            f"{folder}: has no {CONFIG}, so it is no adapter of peft. Name the folder that "
            "save_pretrained wrote."
        )
    return read_keys(folder / CONFIG)


def read_files(folder: Path) -> tuple[dict[str, Any], Tensors]:
    """Return what a peft adapter says of itself, and its tensors."""
    path = folder / WEIGHTS
    if not path.is_file() and (folder / PICKLE).is_file():
        raise CheckpointError(
            f"{folder / PICKLE}: is a pickle, which can run a stranger's code when it is read. "
            "Where you trust it, let peft store it again: save_pretrained writes safetensors."
        )
    config = read_settings(folder)
    stored = StoredTensors(path, [path])
    return config, {name: stored.finite(name) for name in stored.shapes}


def write_files(folder: Path, config: dict[str, Any], tensors: Tensors) -> None:
    """Store an adapter so that peft can read it."""
    folder.mkdir(parents=True, exist_ok=True)
    on_cpu = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    write_atomic(folder / WEIGHTS, save(on_cpu, {"format": "pt"}))
    write_atomic(folder / CONFIG, json.dumps(config, indent=1, sort_keys=True) + "\n")
