"""Word frequencies in the format cB: words in bins of a hundredth of a bel, packed as msgpack.

Only the kinds of msgpack that the format uses are understood, and everything else is refused.
"""

import gzip
import io
import struct
import zlib

from dragoman.core.errors import DataError

LARGEST = 64 * 1024 * 1024
FORMAT = {"format": "cB", "version": 1}
LENGTHS = {0xD9: ">B", 0xDA: ">H", 0xDB: ">I", 0xDC: ">H", 0xDD: ">I"}
DEEPEST = 3


def read_frequencies(packed: bytes, name: str) -> list[list[str]]:
    """Return the bins of words, the most frequent first."""
    try:
        with gzip.open(io.BytesIO(packed)) as stream:
            data = stream.read(LARGEST + 1)
        found = Unpacker(data).value() if len(data) <= LARGEST else None
    except (EOFError, OSError, zlib.error, struct.error, ValueError) as error:
        raise DataError(f"{name}: the list of frequencies is damaged ({error}).") from error
    if not isinstance(found, list) or found[:1] != [FORMAT]:
        raise DataError(f"{name}: is not a list of word frequencies of format cB, version 1.")
    return [[word for word in words if isinstance(word, str)] for words in map(_list, found[1:])]


def _list(found: object) -> list[object]:
    return found if isinstance(found, list) else []


class Unpacker:
    """Reads lists, small maps, texts and small numbers, one after the other."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def value(self, depth: int = 0) -> object:
        """Read the next value."""
        kind = self._take(1)[0]
        if kind < 0x80:
            return kind
        if depth > DEEPEST:
            raise ValueError("nested too deeply")
        if kind < 0x90:
            return {self.value(depth + 1): self.value(depth + 1) for _ in range(kind & 0x0F)}
        if kind < 0xA0 or kind in (0xDC, 0xDD):
            return [self.value(depth + 1) for _ in range(self._length(kind, 0x0F))]
        if kind < 0xC0 or kind in (0xD9, 0xDA, 0xDB):
            return self._take(self._length(kind, 0x1F)).decode("utf-8")
        raise ValueError(f"unexpected kind 0x{kind:02x}")

    def _length(self, kind: int, bits: int) -> int:
        if kind not in LENGTHS:
            return kind & bits
        form = LENGTHS[kind]
        length: int = struct.unpack(form, self._take(struct.calcsize(form)))[0]
        return length

    def _take(self, size: int) -> bytes:
        taken = self._data[self._at : self._at + size]
        if len(taken) < size:
            raise ValueError("cut off")
        self._at += size
        return taken
