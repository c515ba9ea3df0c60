"""Findings while reading text: how often, and where first."""

from enum import Enum
from pathlib import Path

from dragoman.core.errors import DataError


class FindingKind(Enum):
    """Something worth telling: what is counted, and what was done about it."""

    BYTE_ORDER_MARK = ("file", "repaired: byte order mark removed")
    CARRIAGE_RETURN = ("line", "repaired: carriage return before the line end removed")
    NUL = ("line", "repaired: NUL bytes removed")
    NOT_UTF8 = ("line", "refused: not UTF-8")
    COLUMNS = ("line", "refused: not a source and a target")
    UNEQUAL = ("corpus", "refused: the sides are not of one length")
    UNFINISHED = ("message", "skipped: marked fuzzy or obsolete")
    TOO_LONG = ("pair", "dropped: one side is too long")
    EMPTY_SIDE = ("pair", "dropped: one side is empty")
    TOO_LONG_LINE = ("line", "dropped: longer than 16 MiB")
    REPEATED_DOCUMENT = ("document", "dropped: the same text stands earlier")
    LEAKED_DOCUMENT = ("document", "dropped from training: the same text is held out")
    REPEATED = ("pair", "dropped: the same pair stands earlier")
    LEAKED = ("pair", "dropped from training: the source also stands in a held-out set")


class Findings:
    """Counts of what was met, each with its first place; it does not grow with the corpus."""

    def __init__(self) -> None:
        self._counts: dict[FindingKind, int] = {}
        self._first: dict[FindingKind, str] = {}

    def add(self, kind: FindingKind, path: Path, line: int) -> None:
        """Count one more of a kind, met at this line of this file."""
        if kind not in self._counts:
            self._first[kind] = f"{path}:{line}"
        self._counts[kind] = self._counts.get(kind, 0) + 1

    def refuse(self, kind: FindingKind, path: Path, line: int, reason: str) -> None:
        """Refuse a line with a DataError; who only looks may override this and read on."""
        raise DataError(reason)

    def add_many(self, kind: FindingKind, count: int) -> None:
        """Count several of a kind whose places were not noted."""
        if count:
            self._counts[kind] = self._counts.get(kind, 0) + count

    def count(self, kind: FindingKind) -> int:
        """Return how many of a kind were met."""
        return self._counts.get(kind, 0)

    def lines(self) -> list[str]:
        """Say everything in plain words, one line for each kind."""
        return [self._words(kind) for kind in FindingKind if kind in self._counts]

    def _words(self, kind: FindingKind) -> str:
        noun, done = kind.value
        count = self._counts[kind]
        first = f" (first at {self._first[kind]})" if kind in self._first else ""
        return f"{count:,} {noun}{'' if count == 1 else 's'} {done}{first}"
