"""Arrays of numbers on disk, opened as memory maps; a record that is written last vouches for them.

NAME.PART.bin   numbers of one type, one after the other
NAME.json       format, version, the size in bytes of each part, and a checksum of itself
"""

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.core.checksums import SEAL, check_file, check_seal, read_checked, seal
from dragoman.core.errors import CheckpointError, DataError, RunError
from dragoman.core.files import TEMPORARY, write_atomic

Ids = NDArray[np.integer[Any]]

BLOCK = 1 << 20
"""Numbers that are looked at together when all of an array are."""


def array_path(folder: Path, name: str, part: str) -> Path:
    """Return where one array of a store lies."""
    return folder / f"{name}.{part}.bin"


def open_array(folder: Path, name: str, part: str, kind: str, size: int) -> Ids:
    """Map one array of so many bytes; say so if they are not there."""
    path = array_path(folder, name, part)
    if not path.is_file():
        raise DataError(f"{path}: missing. Prepare the corpus again.")
    if path.stat().st_size != size:  # which is damage: runs are moved without their data, but whole
        raise CheckpointError(f"{path}: cut off, or longer than it was. Prepare the corpus again.")
    check_file(path)
    if size == 0:
        return np.empty(0, dtype=kind)  # an empty file cannot be mapped
    return np.memmap(path, dtype=kind, mode="r")


def check_ids(folder: Path, name: str, ids: Ids, vocab_size: int) -> None:
    """Refuse token numbers that no vocabulary of this size has: the file is damaged."""
    highest = max((int(ids[at : at + BLOCK].max()) for at in range(0, len(ids), BLOCK)), default=0)
    if highest >= vocab_size:
        raise CheckpointError(
            f"{array_path(folder, name, 'tokens')}: token {highest} is not one of the tokenizer's "
            f"{vocab_size:,}: the file is damaged. Prepare the corpus again."
        )


def write_arrays(
    folder: Path,
    name: str,
    parts: Sequence[str],
    format: tuple[str, int],
    write: Callable[[list[Path]], str],
) -> None:
    """Let `write` fill a file for each part and name the type of the tokens; then vouch for them.

    The store appears when it is whole; what was interrupted leaves none, and can be begun again.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").unlink(missing_ok=True)
    finished = [array_path(folder, name, part) for part in parts]
    beside = [path.with_name(path.name + TEMPORARY) for path in finished]
    try:
        kind = write(beside)
        for old, new in zip(beside, finished, strict=True):
            os.replace(old, new)
    except OSError as error:
        raise RunError(
            f"{folder / name}: the token store cannot be written ({error.strerror or error}). "
            "Make room or choose another folder, and run the command again."
        ) from error
    finally:
        for path in beside:
            path.unlink(missing_ok=True)
    sizes = {part: path.stat().st_size for part, path in zip(parts, finished, strict=True)}
    head = dict(zip(("format", "version"), format, strict=True))
    write_record(folder, name, {**head, "type": kind, **sizes})


def write_record(folder: Path, name: str, record: dict[str, Any]) -> None:
    """Write the record of a store whose arrays are complete."""
    write_atomic(folder / f"{name}.json", json.dumps(seal(record), indent=2) + "\n")


def has_store(folder: Path, name: str) -> bool:
    """Say whether a store was written here; a run may be moved without its training tokens."""
    return (folder / f"{name}.json").exists()


def read_record(folder: Path, name: str, kind: str, version: int) -> dict[str, Any]:
    """Read the record of a store, or say that there is none that can be trusted."""
    path = folder / f"{name}.json"
    try:
        record = json.loads(read_checked(path))
        check_seal(record)
        del record[SEAL]
        if record["format"] != kind or record["version"] != version:
            raise ValueError("not written by this version")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(
            f"{path}: no token store can be opened here ({error}). Prepare the corpus again."
        ) from error
    return dict(record)
