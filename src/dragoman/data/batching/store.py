"""Token numbers of a corpus on disk, read through memory maps.

NAME.tokens.bin           source and target of each example, one after the other
NAME.starts.bin           int64, where each example begins
NAME.source_lengths.bin   int32
NAME.target_lengths.bin   int32
NAME.json                 the sizes of these and a checksum of itself; written last

Each side is stored with its END. Numbers are uint16, or uint32 where one of them needs it.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from dragoman.core.errors import CheckpointError
from dragoman.data.batching.arrays import BLOCK, Ids, open_array, read_record, write_arrays
from dragoman.data.tokenizer.special_tokens import END

FORMAT, VERSION = "dragoman-tokens", 1
TOGETHER = 8192
"""Examples gathered in memory between two writes."""

NARROW, WIDE = "<u2", "<u4"
TYPES = {"starts": "<i8", "source_lengths": "<i4", "target_lengths": "<i4"}
PARTS = ("tokens", *TYPES)

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
        record = read_record(folder, name, FORMAT, VERSION)
        kinds = {"tokens": record["type"], **TYPES}
        parts = {part: open_array(folder, name, part, kinds[part], record[part]) for part in PARTS}
        store = cls(
            tokens=parts["tokens"],
            starts=parts["starts"],
            source_lengths=parts["source_lengths"],
            target_lengths=parts["target_lengths"],
        )
        if not _is_contiguous(store):
            raise CheckpointError(
                f"{folder / name}.starts.bin: its examples do not follow each other, or do not end "
                "with the tokens: one of the files beside it is damaged. Prepare the corpus again."
            )
        return store


def _is_contiguous(store: TokenStore) -> bool:
    """Say whether each example begins where the one before ends, and the last with the tokens."""
    end = 0
    for begin in range(0, len(store), BLOCK):
        block = slice(begin, begin + BLOCK)
        sides = np.stack((store.source_lengths[block], store.target_lengths[block])).astype(
            np.int64
        )
        ends = end + sides.sum(axis=0).cumsum()
        if sides.min() < 1 or not np.array_equal(store.starts[block], ends - sides.sum(axis=0)):
            return False
        end = int(ends[-1])
    return end == len(store.tokens)


def write_store(folder: Path, name: str, examples: Iterable[Example]) -> TokenStore:
    """Write examples as they come, a few thousand in memory at a time.

    The store appears when it is whole; what was interrupted leaves none, and can be begun again.
    """
    write_arrays(
        folder, name, PARTS, (FORMAT, VERSION), lambda paths: _write_parts(paths, examples, NARROW)
    )
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
    wide = path.with_name(path.name + ".wide")
    try:
        with path.open("rb") as old, wide.open("wb") as new:
            while piece := old.read(1 << 20):
                new.write(np.frombuffer(piece, dtype=NARROW).astype(WIDE).tobytes())
        os.replace(wide, path)
    finally:
        wide.unlink(missing_ok=True)
