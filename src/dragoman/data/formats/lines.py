r"""Lines of a text file, plain or compressed, as bytes split at b"\n" and nowhere else.

Python's own notion of a line also ends at U+0085, U+2028, \x0b, \x1c and a lone \r. Any of these
inside a sentence would shift one side of a parallel corpus against the other from there on.
"""

import errno
import io
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from dragoman.core.errors import DataError, ReadError
from dragoman.data.formats.compression import DamagedError, open_bytes
from dragoman.data.formats.findings import FindingKind, Findings

LONGEST_LINE = 16 * 1024 * 1024
"""Bytes of a line that are held at once; a longer line is skipped to its end, unread."""

UTF8_MARK = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def read_lines(
    path: Path, *, repair: bool, findings: Findings, crlf: bool = False
) -> Iterator[str | None]:
    """Yield each line without its end; None for a line longer than `LONGEST_LINE` bytes.

    A byte order mark, CRLF and NUL bytes are taken away and counted, or refused when `repair` is
    False. What cannot be repaired safely is always refused, with the file and the line. With `crlf`
    a carriage return before the line end belongs to the format and is nothing to speak of.
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
                    if crlf and raw.endswith(b"\r\n"):
                        raw = raw[:-2]
                    yield _decoded(raw, path, number, repair, findings)
    except DamagedError as error:
        raise DataError(f"{path}:{number + 1}: {error.reason}") from error
    except OSError as error:
        failure = ReadError if error.errno == errno.EIO else DataError
        raise failure(f"{path}: cannot be read ({error.strerror or error}).") from error
    if number == 0:
        raise DataError(f"{path}:1: the file is empty. Give a file with one sentence a line.")


def one_line(text: str, *, breaks: str = "\n\r") -> str:
    """Return text from a format whose segments may have several lines, on one line.

    Who writes a table counts a tab among the `breaks`.
    """
    if not any(sign in text for sign in breaks):
        return text
    for sign in breaks[1:]:
        text = text.replace(sign, breaks[0])
    pieces = (piece.strip() for piece in text.split(breaks[0]))
    return " ".join(piece for piece in pieces if piece)


def _pass_the_mark(stream: BinaryIO, path: Path, repair: bool, findings: Findings) -> None:
    """Step over a UTF-8 byte order mark; refuse what announces itself as something else."""
    start = cast(io.BufferedReader, stream).peek(len(UTF8_MARK))[: len(UTF8_MARK)]
    if start.startswith(UTF16_MARKS):
        raise DataError(
            f"{path}:1: the file is UTF-16. Save it as UTF-8: iconv -f UTF-16 -t UTF-8 OLD > NEW"
        )
    if start == UTF8_MARK:
        stream.read(len(UTF8_MARK))
        note_repair(FindingKind.BYTE_ORDER_MARK, "a byte order mark", path, 1, repair, findings)


def _skip_line(stream: BinaryIO) -> None:
    while (raw := stream.readline(LONGEST_LINE)) and not raw.endswith(b"\n"):
        pass


def _decoded(raw: bytes, path: Path, number: int, repair: bool, findings: Findings) -> str:
    if raw.endswith(b"\n"):
        raw = raw[:-1]
        if raw.endswith(b"\r"):
            raw = raw[:-1]
            note_repair(
                FindingKind.CARRIAGE_RETURN, "a CRLF line end", path, number, repair, findings
            )
    if b"\0" in raw:
        raw = raw.replace(b"\0", b"")
        note_repair(FindingKind.NUL, "a NUL byte", path, number, repair, findings)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        reason = (
            f"{path}:{number}: not UTF-8 (byte 0x{raw[error.start]:02x} at byte "
            f"{error.start + 1} of the line). Save the file as UTF-8, or take the line out on both "
            "sides."
        )
        findings.refuse(FindingKind.NOT_UTF8, path, number, reason)
        return raw.decode("utf-8", errors="ignore")


def note_repair(
    kind: FindingKind, what: str, path: Path, number: int, repair: bool, findings: Findings
) -> None:
    """Count something that was repaired, or refuse it where that is not allowed."""
    if repair:
        findings.add(kind, path, number)
    else:
        findings.refuse(
            kind,
            path,
            number,
            f"{path}:{number}: {what}. Clean the file, or set corpus.repair=true to remove it.",
        )
