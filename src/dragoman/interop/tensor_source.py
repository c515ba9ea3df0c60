"""The tensors of a checkpoint folder: safetensors only, in one file or several.

Names and shapes are read from the headers, so that a checkpoint can be judged before its numbers
take memory.
"""

import json
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from dragoman.core.bounded_read import check_fits_memory, check_regular, read_bounded
from dragoman.core.errors import CheckpointError
from dragoman.core.files import sha256
from dragoman.engine.checkpoint.finite import check_finite

WEIGHTS, INDEX, OLD = "model.safetensors", "model.safetensors.index.json", "pytorch_model.bin"
LARGEST_INDEX = 8 * 1024 * 1024
LARGEST_HEADER = 16 * 1024 * 1024
LONGEST_NAME = 255
REAL = {"F64", "F32", "F16", "BF16"}


class TensorSource(ABC):
    """Tensors by name, which are read when they are asked for."""

    where: Path

    @property
    @abstractmethod
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each tensor."""

    @abstractmethod
    def tensor(self, name: str) -> Tensor:
        """Return a tensor in float32."""

    @abstractmethod
    def checksums(self) -> dict[str, str]:
        """Return the SHA-256 of each file, by its name."""

    def finite(self, name: str) -> Tensor:
        """Return a tensor in float32, in which every number must be one."""
        return check_finite(self.tensor(name), name, self.where)


UNREADABLE = (SafetensorError, RuntimeError, OSError, ValueError)
"""What is raised where a file of tensors is damaged, or is none."""


def explained(error: Exception) -> str:
    """Return why a file cannot be read, without its name."""
    return str(getattr(error, "strerror", None) or error)


def open_safetensors(path: Path) -> Any:
    """Open a file of tensors, a regular one with a header of bearable size."""
    check_regular(path)
    check_fits_memory(path)
    with path.open("rb") as stream:
        header = int.from_bytes(stream.read(8), "little")
    if header > LARGEST_HEADER:
        raise ValueError(f"a header of {header:,} bytes; {LARGEST_HEADER:,} are the most")
    return safe_open(path, framework="pt")


class StoredTensors(TensorSource):
    """The tensors of one or several safetensors files."""

    def __init__(self, where: Path, files: list[Path]) -> None:
        self.where, self.files = where, files
        self._shapes: dict[str, tuple[int, ...]] = {}
        self._place: dict[str, Path] = {}
        for path in self.files:
            self._read_header(path)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each tensor."""
        return self._shapes

    def tensor(self, name: str) -> Tensor:
        """Return a tensor in float32."""
        path = self._place[name]
        try:
            with open_safetensors(path) as opened:
                kind = opened.get_slice(name).get_dtype()
                if kind not in REAL:
                    raise CheckpointError(
                        f"{path}: {name} holds {kind}, not plain numbers. Take a checkpoint that "
                        "is not quantised, or import a GGUF file."
                    )
                return opened.get_tensor(name).to(torch.float32)
        except UNREADABLE as error:
            raise CheckpointError(
                f"{path}: cannot be read as weights ({explained(error)})."
            ) from None

    def checksums(self) -> dict[str, str]:
        """Return the SHA-256 of each file, by its name."""
        return {path.name: sha256(path) for path in self.files}

    def _read_header(self, path: Path) -> None:
        try:
            with open_safetensors(path) as opened:
                shapes = {n: tuple(opened.get_slice(n).get_shape()) for n in opened.keys()}  # noqa: SIM118
        except UNREADABLE as error:
            raise CheckpointError(
                f"{path}: cannot be read as weights ({explained(error)})."
            ) from None
        if twice := sorted(shapes.keys() & self._shapes.keys()):
            raise CheckpointError(f"{path}: repeats tensors of another file: {', '.join(twice)}.")
        self._shapes |= shapes
        self._place |= dict.fromkeys(shapes, path)


class StoredFolder(StoredTensors):
    """The safetensors of a folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, _files(folder))
        if (folder / INDEX).exists() and not (folder / WEIGHTS).exists():
            self._compare(_index(folder))

    def _compare(self, index: dict[str, str]) -> None:
        there = {name: path.name for name, path in self._place.items()}
        if wrong := sorted(n for n in {*index, *there} if index.get(n) != there.get(n)):
            raise CheckpointError(
                f"{self.where / INDEX}: does not say where these tensors are: {', '.join(wrong)}. "
                "Fetch the checkpoint again."
            )


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise CheckpointError(f"{folder}: there is no such folder.")
    if (folder / WEIGHTS).exists():
        return [folder / WEIGHTS]
    if (folder / INDEX).exists():
        return [_inside(folder, name) for name in sorted(set(_index(folder).values()))]
    if any(folder.glob("pytorch_model*.bin")):
        raise CheckpointError(
            f"{folder}: has only {OLD}, a pickle, which can run a stranger's code when it is read. "
            "Where you trust it, convert it with transformers: AutoModel.from_pretrained(DIR)"
            ".save_pretrained(NEW), with the class that config.json names."
        )
    raise CheckpointError(f"{folder}: has no {WEIGHTS} and no {INDEX}.")


def _index(folder: Path) -> dict[str, str]:
    path = folder / INDEX
    try:
        read: Any = json.loads(read_bounded(path, LARGEST_INDEX))
        places = read["weight_map"]
        if not isinstance(places, dict) or not places:
            raise ValueError("weight_map is no table")
        if not all(isinstance(place, str) for place in places.values()):
            raise ValueError("weight_map names something that is no file")
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise CheckpointError(f"{path}: cannot be read as an index ({explained(error)}).") from None
    return dict(places)


def _inside(folder: Path, name: str) -> Path:
    """Return a file that an index names, which must be a plain name in the same folder."""
    plain = Path(name).name == name and len(name) <= LONGEST_NAME and name.isprintable()
    if not plain or "\\" in name or not name.endswith(".safetensors"):
        raise CheckpointError(
            f"{folder / INDEX}: names {name[:80]!r}, which is not a safetensors file in this "
            "folder."
        )
    if not (folder / name).is_file():
        raise CheckpointError(f"{folder / name}: is named by {INDEX}, but is not there.")
    return folder / name
