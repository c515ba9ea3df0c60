"""Arrays of numbers on disk, opened as memory maps; a record that is written last vouches for them.

NAME.PART.bin   numbers of one type, one after the other
NAME.json       format, version, the size in bytes of each part, and a checksum of itself
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.core.errors import DataError
from dragoman.core.files import write_atomic

Ids = NDArray[np.integer[Any]]


def array_path(folder: Path, name: str, part: str) -> Path:
    """Return where one array of a store lies."""
    return folder / f"{name}.{part}.bin"


def open_array(folder: Path, name: str, part: str, kind: str, size: int) -> Ids:
    """Map one array of so many bytes; say so if they are not there."""
    path = array_path(folder, name, part)
    if not path.is_file() or path.stat().st_size != size:
        raise DataError(f"{path}: missing or cut off. Prepare the corpus again.")
    if size == 0:
        return np.empty(0, dtype=kind)  # an empty file cannot be mapped
    return np.memmap(path, dtype=kind, mode="r")


def write_record(folder: Path, name: str, record: dict[str, Any]) -> None:
    """Write the record of a store whose arrays are complete."""
    whole = {**record, "checksum": _checksum(record)}
    write_atomic(folder / f"{name}.json", json.dumps(whole, indent=2) + "\n")


def read_record(folder: Path, name: str, kind: str, version: int) -> dict[str, Any]:
    """Read the record of a store, or say that there is none that can be trusted."""
    path = folder / f"{name}.json"
    try:
        record = json.loads(path.read_bytes())
        known = record["format"] == kind and record["version"] == version
        if not known or record.pop("checksum") != _checksum(record):
            raise ValueError("not written by this version, or changed since")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(
            f"{path}: no token store can be opened here ({error}). Prepare the corpus again."
        ) from error
    return dict(record)


def _checksum(record: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()
