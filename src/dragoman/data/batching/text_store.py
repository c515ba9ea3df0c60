"""Token numbers of plain text on disk, read through memory maps.

NAME.tokens.bin      all documents, one after the other; a newline stands between two lines
NAME.lines.bin       int64, where each line begins
NAME.documents.bin   int64, the first line of each document
NAME.json            the sizes of these and a checksum of itself; written last

Numbers are uint16, or uint32 where the vocabulary is larger.
"""

import os
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dragoman.data.batching.arrays import Ids, open_array, read_record, write_arrays

FORMAT, VERSION = "dragoman-text-tokens", 1
PARTS = ("tokens", "lines", "documents")


@dataclass(frozen=True)
class TextStore:
    """Documents that are opened, not loaded."""

    tokens: Ids
    lines: Ids
    """Where each line begins, and the end of the last."""
    documents: Ids
    """The first line of each document, and the number of lines."""

    def __len__(self) -> int:
        return max(0, len(self.documents) - 1)

    @property
    def starts(self) -> Ids:
        """The first token of each document, and the end of the last."""
        return self.lines[self.documents]

    def document(self, index: int) -> Ids:
        """Return all tokens of a document, with a newline between two lines."""
        first, last = int(self.documents[index]), int(self.documents[index + 1])
        end = int(self.lines[last])
        return self.tokens[int(self.lines[first]) : end]

    def sentences(self, index: int) -> list[Ids]:
        """Return the lines of a document, each without its newline."""
        first, last = int(self.documents[index]), int(self.documents[index + 1])
        bounds = [int(place) for place in self.lines[first : last + 1]]
        ends = [*(place - 1 for place in bounds[1:-1]), bounds[-1]]
        return [self.tokens[a:b] for a, b in zip(bounds[:-1], ends, strict=True)]

    @classmethod
    def of(cls, documents: Iterable[Sequence[Sequence[int]]], newline: int) -> "TextStore":
        """Keep a few documents, each a list of encoded lines, in memory."""
        tokens: list[int] = []
        lines: list[int] = []
        starts: list[int] = []
        for document in documents:
            starts.append(len(lines))
            for number, ids in enumerate(document, 1):
                lines.append(len(tokens))
                tokens += ids if number == len(document) else [*ids, newline]
        whole = ([*lines, len(tokens)], [*starts, len(lines)])
        return cls(np.array(tokens, np.int64), *(np.array(part, np.int64) for part in whole))

    @classmethod
    def open(cls, folder: Path, name: str) -> "TextStore":
        """Open a store that was written to its end, or say that there is none."""
        record = read_record(folder, name, FORMAT, VERSION)
        kinds = {"tokens": record["type"], "lines": "<i8", "documents": "<i8"}
        parts = {part: open_array(folder, name, part, kinds[part], record[part]) for part in PARTS}
        return cls(parts["tokens"], parts["lines"], parts["documents"])


def write_texts(
    folder: Path,
    name: str,
    documents: Iterable[Sequence[Sequence[int]]],
    *,
    newline: int,
    vocab_size: int,
) -> TextStore:
    """Write documents, each a list of encoded lines, as they come.

    The store appears when it is whole; what was interrupted leaves none, and can be begun again.
    """
    kind = "<u2" if vocab_size <= 2**16 else "<u4"
    write_arrays(
        folder,
        name,
        PARTS,
        (FORMAT, VERSION),
        lambda paths: _write(paths, documents, newline, kind),
    )
    return TextStore.open(folder, name)


def _write(
    paths: Sequence[Path], documents: Iterable[Sequence[Sequence[int]]], newline: int, kind: str
) -> str:
    """Write all files; return the type of the numbers."""
    place = line = 0
    with ExitStack() as stack:
        tokens, lines, starts = (stack.enter_context(path.open("wb")) for path in paths)
        for document in documents:
            starts.write(_number(line))
            for number, ids in enumerate(document, 1):
                lines.write(_number(place))
                whole = ids if number == len(document) else [*ids, newline]
                tokens.write(np.array(whole, dtype=kind).tobytes())
                place += len(whole)
            line += len(document)
        lines.write(_number(place))
        starts.write(_number(line))
        for stream in (tokens, lines, starts):
            stream.flush()
            os.fsync(stream.fileno())
    return kind


def _number(value: int) -> bytes:
    return value.to_bytes(8, "little")
