"""Token numbers of a corpus on disk, read through memory maps.

NAME.tokens.bin           source and target of each example, one after the other
NAME.starts.bin           int64, where each example begins
NAME.source_lengths.bin   int32
NAME.target_lengths.bin   int32
NAME.json                 the sizes of these and a checksum of itself; written last

Each side is stored with its END. Numbers are uint16, or uint32 where one of them needs it.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.core.errors import DataError, RunError
from dragoman.core.files import TEMPORARY, write_atomic
from dragoman.data.tokenizer.symbols import END

FORMAT, VERSION = "dragoman-tokens", 1
TOGETHER = 8192
"""Examples gathered in memory between two writes."""

NARROW, WIDE = "<u2", "<u4"
TYPES = {"starts": "<i8", "source_lengths": "<i4", "target_lengths": "<i4"}
PARTS = ("tokens", *TYPES)

Ids = NDArray[np.integer[Any]]
Example = tuple[Sequence[int], Sequence[int]]


@dataclass(frozen=True)
class TokenStore:
    """Examples that are opened, not loaded."""

    tokens: Ids
    starts: Ids
    source_lengths: Ids
    target_lengths: Ids

    def __len__(self) -> int:
        return len(self.starts)

    def example(self, index: int) -> tuple[Ids, Ids]:
        """Return the source and the target of one example, each with its END."""
        start = int(self.starts[index])
        middle = start + int(self.source_lengths[index])
        end = middle + int(self.target_lengths[index])
        return self.tokens[start:middle], self.tokens[middle:end]

    @classmethod
    def open(cls, folder: Path, name: str) -> "TokenStore":
        """Open a store that was written to its end, or say that there is none."""
        record = _read_record(folder / f"{name}.json")
        return cls(
            tokens=_map(folder / f"{name}.tokens.bin", record["type"], record["tokens"]),
            starts=_map(folder / f"{name}.starts.bin", TYPES["starts"], record["starts"]),
            source_lengths=_map(
                folder / f"{name}.source_lengths.bin", "<i4", record["source_lengths"]
            ),
            target_lengths=_map(
                folder / f"{name}.target_lengths.bin", "<i4", record["target_lengths"]
            ),
        )


def write_store(folder: Path, name: str, examples: Iterable[Example]) -> TokenStore:
    """Write examples as they come, a few thousand in memory at a time.

    The store appears when it is whole; what was interrupted leaves none, and can be begun again.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").unlink(missing_ok=True)
    finished = [folder / f"{name}.{part}.bin" for part in PARTS]
    beside = [path.with_name(path.name + TEMPORARY) for path in finished]
    try:
        kind = _write_parts(beside, examples, NARROW)
        for old, new in zip(beside, finished, strict=True):
            os.replace(old, new)
    except OSError as error:
        raise RunError(
            f"{folder / name}: the token store cannot be written ({error.strerror or error}). "
            "Make room or choose another folder, and run the command again."
        ) from error
    finally:
        for path in (*beside, _wide(beside[0])):
            path.unlink(missing_ok=True)
    sizes = {part: path.stat().st_size for part, path in zip(PARTS, finished, strict=True)}
    record = {"format": FORMAT, "version": VERSION, "type": kind, **sizes}
    record["checksum"] = _checksum(record)
    write_atomic(folder / f"{name}.json", json.dumps(record, indent=2) + "\n")
    return TokenStore.open(folder, name)


def _write_parts(paths: Sequence[Path], examples: Iterable[Example], kind: str) -> str:
    """Write all files; return the type that the numbers turned out to need."""
    begin = 0
    with ExitStack() as stack:
        tokens, starts, source, target = (stack.enter_context(path.open("wb")) for path in paths)
        for group in _groups(examples):
            ids = [number for sides in group for side in sides for number in (*side, END)]
            lengths = np.array([[len(s) + 1, len(t) + 1] for s, t in group], dtype=np.int64)
            numbers = np.array(ids, dtype=np.int64)
            if kind == NARROW and int(numbers.max()) > np.iinfo(np.uint16).max:
                tokens.flush()
                tokens.close()
                _widen(paths[0])
                tokens, kind = stack.enter_context(paths[0].open("ab")), WIDE
            tokens.write(numbers.astype(kind).tobytes())
            ends = begin + lengths.sum(axis=1).cumsum()
            starts.write((ends - lengths.sum(axis=1)).astype(TYPES["starts"]).tobytes())
            source.write(lengths[:, 0].astype("<i4").tobytes())
            target.write(lengths[:, 1].astype("<i4").tobytes())
            begin = int(ends[-1])
        for stream in (tokens, starts, source, target):
            stream.flush()
            os.fsync(stream.fileno())
    return kind


def _groups(examples: Iterable[Example]) -> Iterator[list[Example]]:
    remaining = iter(examples)
    while group := list(islice(remaining, TOGETHER)):
        yield group


def _widen(path: Path) -> None:
    """Rewrite a file of uint16 as uint32, a piece at a time."""
    with path.open("rb") as old, _wide(path).open("wb") as new:
        while piece := old.read(1 << 20):
            new.write(np.frombuffer(piece, dtype=NARROW).astype(WIDE).tobytes())
    os.replace(_wide(path), path)


def _wide(path: Path) -> Path:
    return path.with_name(path.name + ".wide")


def _map(path: Path, kind: str, size: int) -> Ids:
    if not path.is_file() or path.stat().st_size != size:
        raise DataError(f"{path}: missing or cut off. Prepare the corpus again.")
    if size == 0:
        return np.empty(0, dtype=kind)  # an empty file cannot be mapped
    return np.memmap(path, dtype=kind, mode="r")


def _read_record(path: Path) -> dict[str, Any]:
    try:
        record = json.loads(path.read_bytes())
        known = record["format"] == FORMAT and record["version"] == VERSION
        if not known or record.pop("checksum") != _checksum(record):
            raise ValueError("not written by this version, or changed since")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(
            f"{path}: no token store can be opened here ({error}). Prepare the corpus again."
        ) from error
    return dict(record)


def _checksum(record: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()
