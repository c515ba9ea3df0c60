"""Opening files, plain or compressed, with a bound on what may come out of a compressed one.

Text shrinks three- to tenfold, tables of near-equal lines perhaps fiftyfold. What grows more than
two hundredfold is made to fill memory and disks, and is refused; so is more than 256 GiB.
"""

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast

from dragoman.core.errors import DataError

FREE = 16 * 1024 * 1024
"""Bytes that may come out before the ratio is looked at."""
LARGEST_RATIO = 200
LARGEST_TOTAL = 256 * 1024**3

NAMES = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
MARKS = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}
BUFFER = 128 * 1024


class DamagedError(DataError):
    """A compressed file that cannot be unpacked; `reason` leaves out where."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.reason = reason


class _Unpacked(Protocol):
    def read(self, size: int, /) -> bytes: ...


def bare_name(path: Path) -> Path:
    """Return the name without the ending that says how it is compressed."""
    return path.with_suffix("") if path.suffix in NAMES else path


def open_bytes(path: Path) -> BinaryIO:
    """Open a plain or compressed file for reading, or say why that cannot be."""
    if path.is_dir():
        raise DataError(f"{path}: is a folder, not a file. Name the file inside it.")
    if not path.exists():
        raise DataError(f"{path}: no such file. {_nearest_file(path)}")
    if not path.is_file():
        raise DataError(
            f"{path}: is not a regular file. A corpus is read more than once; save it to a file."
        )
    stored = path.open("rb")
    if path.suffix in NAMES:
        return cast(BinaryIO, io.BufferedReader(_Bounded(path, stored), BUFFER))
    _refuse_disguise(path, stored)
    return stored


def _refuse_disguise(path: Path, stored: io.BufferedReader) -> None:
    start = stored.peek(8)[:8]
    for mark, ending in MARKS.items():
        if start.startswith(mark) and not (mark == b"BZh" and start[4:7] != b"1AY"):
            stored.close()
            what = "gzipped" if ending == ".gz" else f"compressed by {NAMES[ending]}"
            raise DataError(
                f"{path}:1: the file is {what}. Let its name end in {ending}, or unpack it."
            )


def _nearest_file(path: Path) -> str:
    try:
        beside = [file.name for file in path.parent.iterdir() if file.is_file()]
    except OSError:
        return f"Nor is there a folder {path.parent} that can be read."
    near = get_close_matches(path.name, beside, n=1)
    return f"Did you mean {path.with_name(near[0])}?" if near else "Check the name and the folder."


class _Bounded(io.RawIOBase):
    """The content of a compressed file, counted."""

    def __init__(self, path: Path, stored: BinaryIO) -> None:
        self._path = path
        self._stored = stored
        self._kind = NAMES[path.suffix]
        self._unpacked = _UNPACKERS[path.suffix](stored)
        self._out = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            piece = self._unpacked.read(len(buffer))
        except (EOFError, OSError, zlib.error, lzma.LZMAError, MemoryError) as error:
            raise DamagedError(
                self._path,
                f"the {self._kind} file is cut off or damaged ({error}). "
                "Fetch or compress it again.",
            ) from error
        self._out += len(piece)
        self._check_size()
        buffer[: len(piece)] = piece
        return len(piece)

    def _check_size(self) -> None:
        taken = max(1, self._stored.tell())
        if self._out > LARGEST_TOTAL or self._out > max(FREE, LARGEST_RATIO * taken):
            raise DamagedError(
                self._path,
                f"{taken:,} bytes of {self._kind} unpack to more than {self._out:,}, as text does "
                f"not (the most is {LARGEST_RATIO} to 1 and {LARGEST_TOTAL // 1024**3} GiB). "
                "If you trust the file, unpack it first.",
            )

    def close(self) -> None:
        self._stored.close()
        super().close()


class _Zstd:
    """Frames of zstd, one after another; unlike the library's own reader it misses no cut."""

    STEP = 4096
    """Bytes fed at once: at worst some 128 MiB come out of so many."""

    def __init__(self, stored: BinaryIO) -> None:
        import zstandard

        self._library = zstandard
        self._stored = stored
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._begun = False
        self._ready = memoryview(b"")

    def read(self, size: int, /) -> bytes:
        while not self._ready:
            piece = self._frame.unused_data or self._stored.read(self.STEP)
            if not piece:
                if self._begun and not self._frame.eof:
                    raise EOFError("the last frame does not end")
                return b""
            if self._frame.eof:
                self._frame = self._library.ZstdDecompressor().decompressobj()
            self._begun = True
            try:
                self._ready = memoryview(self._frame.decompress(piece))
            except self._library.ZstdError as error:
                raise OSError(str(error)) from error
        taken, self._ready = self._ready[:size], self._ready[size:]
        return bytes(taken)


_UNPACKERS: dict[str, Callable[[BinaryIO], _Unpacked]] = {
    ".gz": lambda stored: gzip.GzipFile(fileobj=stored, mode="rb"),
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
    ".zst": _Zstd,
}
