r"""Lines of a text file, plain or gzipped, as bytes split at b"\n" and nowhere else.

Python's own notion of a line also ends at U+0085, U+2028, \x0b, \x1c and a lone \r. Any of these
inside a sentence would shift one side of a parallel corpus against the other from there on.
"""

import gzip
import zlib
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import BinaryIO, cast

from dragoman.core.errors import DataError
from dragoman.data.formats.findings import Findings, Kind

LONGEST_LINE = 16 * 1024 * 1024
"""Bytes of a line that are held at once; a longer line is skipped to its end, unread."""

UTF8_MARK = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
GZIP_MARK = b"\x1f\x8b"


def read_lines(path: Path, *, repair: bool, findings: Findings) -> Iterator[str | None]:
    """Yield each line without its end; None for a line longer than `LONGEST_LINE` bytes.

    A byte order mark, CRLF and NUL bytes are taken away and counted, or refused when `repair` is
    False. What cannot be repaired safely is always refused, with the file and the line.
    """
    number = 0
    try:
        with open_bytes(path) as stream:
            _pass_the_mark(stream, path, repair, findings)
            while raw := stream.readline(LONGEST_LINE):
                number += 1
                if len(raw) == LONGEST_LINE and not raw.endswith(b"\n"):
                    _skip_line(stream)
                    yield None
                else:
                    yield _decoded(raw, path, number, repair, findings)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(
            f"{path}:{number + 1}: the gzip file is cut off or damaged ({error}). "
            "Fetch or compress it again."
        ) from error
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error}).") from error
    if number == 0:
        raise DataError(f"{path}:1: the file is empty. Give a file with one sentence a line.")


def open_bytes(path: Path) -> BinaryIO:
    """Open a plain or gzipped file for reading, or say why that cannot be."""
    if path.is_dir():
        raise DataError(f"{path}: is a folder, not a file. Name the file inside it.")
    if not path.exists():
        raise DataError(f"{path}: no such file. {_nearest_file(path)}")
    if not path.is_file():
        raise DataError(
            f"{path}: is not a regular file. A corpus is read more than once; save it to a file."
        )
    if path.suffix == ".gz":
        return cast(BinaryIO, gzip.open(path, "rb"))
    return path.open("rb")


def _nearest_file(path: Path) -> str:
    try:
        beside = [file.name for file in path.parent.iterdir() if file.is_file()]
    except OSError:
        return f"Nor is there a folder {path.parent} that can be read."
    near = get_close_matches(path.name, beside, n=1)
    return f"Did you mean {path.with_name(near[0])}?" if near else "Check the name and the folder."


def _pass_the_mark(stream: BinaryIO, path: Path, repair: bool, findings: Findings) -> None:
    """Step over a UTF-8 byte order mark; refuse what announces itself as something else."""
    start = stream.read(len(UTF8_MARK))
    if start.startswith(UTF16_MARKS):
        raise DataError(
            f"{path}:1: the file is UTF-16. Save it as UTF-8: iconv -f UTF-16 -t UTF-8 OLD > NEW"
        )
    if start.startswith(GZIP_MARK):
        raise DataError(f"{path}:1: the file is gzipped. Let its name end in .gz, or unpack it.")
    if start == UTF8_MARK:
        _repaired(Kind.BYTE_ORDER_MARK, "a byte order mark", path, 1, repair, findings)
    else:
        stream.seek(0)


def _skip_line(stream: BinaryIO) -> None:
    while (raw := stream.readline(LONGEST_LINE)) and not raw.endswith(b"\n"):
        pass


def _decoded(raw: bytes, path: Path, number: int, repair: bool, findings: Findings) -> str:
    if raw.endswith(b"\n"):
        raw = raw[:-1]
        if raw.endswith(b"\r"):
            raw = raw[:-1]
            _repaired(Kind.CARRIAGE_RETURN, "a CRLF line end", path, number, repair, findings)
    if b"\0" in raw:
        raw = raw.replace(b"\0", b"")
        _repaired(Kind.NUL, "a NUL byte", path, number, repair, findings)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}:{number}: not UTF-8 (byte 0x{raw[error.start]:02x} at byte "
            f"{error.start + 1} of the line). Save the file as UTF-8, or take the line out on both "
            "sides."
        ) from error


def _repaired(
    kind: Kind, what: str, path: Path, number: int, repair: bool, findings: Findings
) -> None:
    if not repair:
        raise DataError(
            f"{path}:{number}: {what}. Clean the file, or set corpus.repair=true to remove it."
        )
    findings.add(kind, path, number)
