"""Lines of a stream such as stdin, read in bounded memory: one line in, one line out.

A corpus is refused where it is not what it should be; a stream is somebody's pipeline, and goes on.
Bytes that are not UTF-8 become the replacement character, and a line beyond all measure becomes an
empty one; both are told on stderr with the number of the line.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, TypeVar

from dragoman.core.console import say
from dragoman.data.formats.lines import UTF8_MARK

MAX_LINE_BYTES = 1024 * 1024
"""Bytes of the longest line that is read: some two hundred thousand words."""

CHUNK = 64 * 1024
"""Bytes in which the rest of a longer line is passed over."""

MAX_WINDOW_CHARACTERS = 4 * MAX_LINE_BYTES
"""Characters of the lines that are worked on together."""

Line = TypeVar("Line")


def text_lines(stream: BinaryIO, name: str) -> Iterator[str]:
    """Yield each line as text, without its end; a longer one than `MAX_LINE_BYTES` is left empty.

    Only a line feed ends a line. Of a longer line no more than its first `MAX_LINE_BYTES` are ever
    in memory.
    """
    number, told = 0, False
    while raw := stream.readline(MAX_LINE_BYTES + 2):
        number += 1
        line = raw.removesuffix(b"\n").removesuffix(b"\r")
        if len(line) > MAX_LINE_BYTES:
            size = len(raw) + (0 if raw.endswith(b"\n") else _skip_line(stream))
            say(
                f"{name}:{number}: a line of {size:,} bytes is left empty; the limit is "
                f"{MAX_LINE_BYTES:,}. Break it at its sentences.",
                "yellow",
            )
            line = b""
        if number == 1:
            line = line.removeprefix(UTF8_MARK)
        text = line.decode("utf-8", errors="replace")
        if "\ufffd" in text and not told:
            say(f"{name}:{number}: is not valid UTF-8; invalid bytes are replaced.", "yellow")
            told = True
        yield text


def windows(
    lines: Iterable[Line],
    most: int,
    length: Callable[[Line], int] = len,  # type: ignore[assignment]
) -> Iterator[list[Line]]:
    """Gather lines that are worked on together: at most so many, and so many characters."""
    window: list[Line] = []
    characters = 0
    for line in lines:
        window.append(line)
        characters += length(line)
        if len(window) == most or characters >= MAX_WINDOW_CHARACTERS:
            yield window
            window, characters = [], 0
    if window:
        yield window


def _skip_line(stream: BinaryIO) -> int:
    """Read to the end of a line, and return how many bytes that were."""
    size = 0
    while raw := stream.readline(CHUNK):
        size += len(raw)
        if raw.endswith(b"\n"):
            break
    return size
