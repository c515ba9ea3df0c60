"""metrics.jsonl of a run, read on as it grows."""

from pathlib import Path
from typing import Any

from dragoman.server.studio.safe_reading import file_facts, parsed, plain, read_file

Row = dict[str, Any]

LARGEST = 64 << 20
"""Bytes of a log that are read."""

TAIL = 256 << 10
"""Bytes at the end of a log that tell how far a run has come."""

MOST = 100_000
"""Lines that are given at once."""


class LogFile:
    """The lines of a log: those that are complete, each read once.

    A resume writes the file anew, with fewer lines. Then all is read again.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: list[Row | None] = []
        """Of each line, or None where it cannot be understood."""
        self._known: tuple[int, int] | None = None
        self._read = 0

    def read_on(self) -> None:
        """Read what has come since; half a line waits."""
        facts = file_facts(self.path)
        known = None if facts is None else (facts.st_dev, facts.st_ino)
        if known != self._known or facts is None or facts.st_size < self._read:
            self.rows, self._read, self._known = [], 0, known
        if facts is None or facts.st_size == self._read:
            return
        new = read_file(self.path, self._read, max(0, LARGEST - self._read))
        whole, newline, _ = new.rpartition(b"\n")
        if newline:
            self.rows += [row_of(line) for line in whole.split(b"\n")]
            self._read += len(whole) + 1

    def since(self, after: int) -> tuple[list[Row], int, bool]:
        """Return rows from a line on, the number of the line after them, and whether all is new."""
        restarted = after > len(self.rows)
        begin = 0 if restarted else after
        end = min(len(self.rows), begin + MOST)
        return [row for row in self.rows[begin:end] if row is not None], end, restarted

    @property
    def samples(self) -> list[dict[str, str]]:
        """The samples of the last validation that had any."""
        for row in reversed(self.rows):
            if row is not None and row.get("samples"):
                return list(row["samples"])
        return []


def last_rows(path: Path) -> list[Row]:
    """Return the rows at the end of a log."""
    facts = file_facts(path)
    if facts is None:
        return []
    begin = max(0, facts.st_size - TAIL)
    lines = read_file(path, begin, TAIL).split(b"\n")
    rows = [row_of(line) for line in lines[1 if begin else 0 : -1]]
    return [row for row in rows if row is not None]


def row_of(line: bytes) -> Row | None:
    """Return a line as values that can be sent; None where it is no line of a log."""
    row = parsed(line)
    if not isinstance(row, dict) or not isinstance(row.get("kind"), str):
        return None
    step = row.get("step")
    if isinstance(step, bool) or not isinstance(step, int):
        return None
    told = {plain(key): plain(value) for key, value in row.items() if key != "samples"}
    samples = row.get("samples")
    if isinstance(samples, list):
        told["samples"] = [_sample(one) for one in samples if isinstance(one, dict)]
    return told


def _sample(one: dict[str, Any]) -> dict[str, str]:
    wanted = ("source", "reference", "output")
    return {key: str(plain(one.get(key)) or "") for key in wanted}
