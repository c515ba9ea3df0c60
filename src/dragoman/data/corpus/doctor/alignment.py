"""Is line N still the translation of line N? Compared with its neighbours, three up and down.

Two witnesses that need no dictionary: long sentences have long translations, and numbers, names and
cognates stand on both sides. Each line is compared with the line itself and with its neighbours on
the other side; if a neighbour fits better by far more than chance, one side is shifted. All lines
are looked at up to 100,000, then every eighth block of 512: 36 bytes for each of these.
"""

import re
import zlib
from array import array
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

DENSE, BLOCK, EVERY = 100_000, 512, 8
OFFSETS = (-1, 1, -2, 2, -3, 3)
FEWEST = 40
WINDOW = (50, 1000)
SURE_OF_ALL, SURE_OF_A_PART = 5.0, 6.0
"""Standard errors by which a neighbour must fit better."""
EFFECT = 0.1
"""And standard deviations: among very many lines nothing is too small to be significant."""

ANCHOR = re.compile(r"\d{1,30}|[A-Za-z]{4,40}")


@dataclass(frozen=True)
class Shift:
    """A shift between the sides: its line, offset, and share of the lines seen."""

    line: int
    offset: int
    lines: int
    seen: int

    @property
    def words(self) -> str:
        """Say it for people."""
        way = "below" if self.offset > 0 else "above"
        return (
            f"from about line {self.line:,} on, a source is translated {abs(self.offset)} "
            f"line{'s' if abs(self.offset) > 1 else ''} {way} its own ({self.lines:,} of "
            f"{self.seen:,} lines looked at)"
        )


class AlignmentCheck:
    """Gathers lengths and anchors of lines, and judges them in the end."""

    def __init__(self) -> None:
        self._rows = 0
        self._at = array("Q")
        self._lines = array("Q")
        self._lengths = array("H"), array("H")
        self._anchors = array("Q"), array("Q")

    def add(self, line: int, source: str, target: str) -> None:
        """Look at the next row of the corpus."""
        row = self._rows
        self._rows += 1
        if row >= DENSE and (row // BLOCK) % EVERY:
            return
        self._at.append(row)
        self._lines.append(line)
        for side, text in enumerate((source, target)):
            self._lengths[side].append(min(65_535, len(text.strip())))
            self._anchors[side].append(anchors(text[:2000]))

    def find_shift(self) -> Shift | None:
        """Return the shift of the whole or of a part; None where the lines fit best as they are."""
        seen = len(self._at)
        if seen < FEWEST:
            return None
        evidence = _Evidence(self._at, self._lengths, self._anchors)
        offset = evidence.better(0, seen, SURE_OF_ALL)
        if offset:
            return Shift(int(self._lines[0]), offset, seen, seen)
        size = min(max(seen // 8, WINDOW[0]), WINDOW[1])
        windows = [(low, min(low + size, seen)) for low in range(0, seen, size)]
        shifted = [(w, o) for w in windows if (o := evidence.better(*w, SURE_OF_A_PART))]
        if not shifted:
            return None
        (low, _), offset = shifted[0]
        lines = sum(high - low for (low, high), _ in shifted)
        return Shift(int(self._lines[low]), offset, lines, seen)


def anchors(text: str) -> int:
    """Return a set of numbers and Latin words as 64 bits, one for each."""
    bits = 0
    for word in ANCHOR.findall(text):
        key = word.lower() if word[0].isalpha() else str(int(word))  # १२ is 12
        bits |= 1 << (zlib.crc32(key.encode()) & 63)
    return bits


class _Evidence:
    def __init__(
        self,
        at: "array[int]",
        lengths: tuple["array[int]", "array[int]"],
        marks: tuple["array[int]", "array[int]"],
    ) -> None:
        self._at = np.frombuffer(at, dtype=np.uint64).astype(np.int64)
        counts = [np.frombuffer(side, dtype=np.uint16) for side in lengths]
        self._full = [side > 0 for side in counts]
        self._long = [np.log(side.astype(np.float32) + 5) for side in counts]
        self._usual = float(np.median(self._long[0] - self._long[1]))
        self._marks = [np.frombuffer(side, dtype=np.uint64) for side in marks]

    def better(self, low: int, high: int, sure: float) -> int:
        """Return the offset at which these lines fit better than as they are, or 0."""
        scores = {offset: self._gain(low, high, offset, sure) for offset in OFFSETS}
        best = max(OFFSETS, key=lambda offset: scores[offset])
        return best if scores[best] > 0 else 0

    def _gain(self, low: int, high: int, offset: int, sure: float) -> float:
        here = np.arange(max(low, -offset), min(high, len(self._at) - max(offset, 0)))
        there = here + offset
        together = self._at[there] - self._at[here] == offset
        full = self._full[0][here] & self._full[1][here] & self._full[1][there]
        here, there = here[together & full], there[together & full]
        if len(here) < FEWEST // 2:
            return 0.0
        length = _certainty(self._misfit(here, here) - self._misfit(here, there), sure)
        anchor = _certainty(self._shared(here, there) - self._shared(here, here), sure)
        best, worst = max(length, anchor), min(length, anchor)
        return best if worst > -2.0 and best > sure else 0.0

    def _misfit(self, one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.float32]:
        return np.abs(self._long[0][one] - self._long[1][other] - self._usual)

    def _shared(self, one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.float32]:
        common = np.bitwise_count(self._marks[0][one] & self._marks[1][other])
        return np.minimum(common, 4).astype(np.float32)


def _certainty(gain: NDArray[np.float32], sure: float) -> float:
    """Return the mean in standard errors; no more than just unsure where the effect is tiny."""
    spread = float(gain.std())
    if spread == 0.0:
        return 0.0
    effect = float(gain.mean()) / spread
    score = effect * float(np.sqrt(len(gain)))
    return min(score, sure) if effect < EFFECT else score
