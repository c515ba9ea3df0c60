"""The log of a run, metrics.jsonl, read incrementally as it grows."""

from pathlib import Path
from typing import Any

from dragoman.server.studio.safe_reading import file_stat, parse_json, plain, read_file

Row = dict[str, Any]

MAX_BYTES = 64 << 20
"""Bytes of a log that are read."""

TAIL_BYTES = 256 << 10
"""Bytes at the end of a log, for the state of a run."""

MAX_ROWS = 100_000
"""Rows of one response."""


class LogFile:
    """The complete lines of a log, each read once.

    A resumed run rewrites the file with fewer lines. Then all is read again.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: list[Row | None] = []
        """Of each line, or None where it cannot be parsed."""
        self._known: tuple[int, int] | None = None
        self._read = 0

    def read_on(self) -> None:
        """Read what was appended since; an incomplete line waits."""
        facts = file_stat(self.path)
        known = None if facts is None else (facts.st_dev, facts.st_ino)
        if known != self._known or facts is None or facts.st_size < self._read:
            self.rows, self._read, self._known = [], 0, known
        if facts is None or facts.st_size == self._read:
            return
        new = read_file(self.path, self._read, max(0, MAX_BYTES - self._read))
        whole, newline, _ = new.rpartition(b"\n")
        if newline:
            self.rows += [parse_row(line) for line in whole.split(b"\n")]
            self._read += len(whole) + 1

    def since(self, after: int) -> tuple[list[Row], int, bool]:
        """Return rows from a line on, the number of the next line, and whether it restarted."""
        restarted = after > len(self.rows)
        begin = 0 if restarted else after
        end = min(len(self.rows), begin + MAX_ROWS)
        return [row for row in self.rows[begin:end] if row is not None], end, restarted

    @property
    def samples(self) -> list[dict[str, str]]:
        """The samples of the last validation that had any."""
        for row in reversed(self.rows):
            if row is not None and row.get("samples"):
                return list(row["samples"])
        return []


def tail_rows(path: Path) -> list[Row]:
    """Return the rows at the end of a log."""
    facts = file_stat(path)
    if facts is None:
        return []
    begin = max(0, facts.st_size - TAIL_BYTES)
    lines = read_file(path, begin, TAIL_BYTES).split(b"\n")
    rows = [parse_row(line) for line in lines[1 if begin else 0 : -1]]
    return [row for row in rows if row is not None]


def parse_row(line: bytes) -> Row | None:
    """Parse a line into values that can be sent; None where it is no line of a log."""
    row = parse_json(line)
    if not isinstance(row, dict) or not isinstance(row.get("kind"), str):
        return None
    step = row.get("step")
    if isinstance(step, bool) or not isinstance(step, int):
        return None
    safe = {plain(key): plain(value) for key, value in row.items() if key != "samples"}
    samples = row.get("samples")
    if isinstance(samples, list):
        safe["samples"] = [_sample(one) for one in samples if isinstance(one, dict)]
    return safe


def _sample(one: dict[str, Any]) -> dict[str, str]:
    wanted = ("source", "reference", "output")
    return {key: str(plain(one.get(key)) or "") for key in wanted}
