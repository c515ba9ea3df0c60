"""Checks across a whole corpus: duplicates, overlaps, unusual proportions.

Memory: 24 bytes a pair are kept (two hashes of 8, a line number of 4, two lengths of 2; a hash more
for held-out and extra pairs), and about as many again while they are sorted: some half a gigabyte
for ten million pairs.
"""

from array import array
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dragoman.data.corpus.split import Hashes, Words, among
from dragoman.data.formats.pair import Pair

Places = NDArray[np.int64]
SLACK = 20
"""Characters added to both sides, so that short ones may differ."""
TOLERATED = 3.0
SPREADS = 6.0
LONGEST = 65_535
CHUNK = 250_000


class PairHashes:
    """Hashes and lengths of each pair."""

    def __init__(self, *, with_targets: bool = False) -> None:
        self.hashes = Hashes(0, with_targets=with_targets)
        self._lines = array("I")
        self._lengths = array("H"), array("H")

    def add(self, line: int, source: str, target: str) -> None:
        """Remember one more pair."""
        self.hashes.add(Pair(source, target))
        self._lines.append(min(line, 2**32 - 1))
        self._lengths[0].append(min(LONGEST, len(source)))
        self._lengths[1].append(min(LONGEST, len(target)))

    def lines(self, places: Places) -> Iterator[int]:
        """Yield the line numbers of places."""
        lines = np.frombuffer(self._lines, dtype=np.uint32)
        for low in range(0, len(places), CHUNK):
            yield from lines[places[low : low + CHUNK]].tolist()

    def duplicates(self) -> Places:
        """Return the places of pairs that stand earlier already."""
        return _later_ones(self.hashes.pairs)

    def further_translations(self, duplicates: Places) -> Places:
        """Return the places of pairs whose source had another target before."""
        kept = np.ones(len(self.hashes.sources), dtype=bool)
        kept[duplicates] = False
        places = np.flatnonzero(kept)
        return places[_later_ones(self.hashes.sources[places])]

    def standing_in(self, sources: Words) -> Places:
        """Return the places of pairs whose source is among these."""
        return np.flatnonzero(among(self.hashes.sources, sources))

    def aiming_at(self, targets: Words) -> Places:
        """Return the places of pairs whose target is among these."""
        return np.flatnonzero(among(self.hashes.targets, targets))

    def repeating(self, pairs: Words) -> Places:
        """Return the places of pairs that are among these."""
        return np.flatnonzero(among(self.hashes.pairs, pairs))

    def out_of_proportion(self) -> Places:
        """Return the places of pairs with a side far too long for the other, in this corpus."""
        sides = [np.frombuffer(side, dtype=np.uint16) for side in self._lengths]
        total = len(sides[0])
        if not total:
            return np.zeros(0, dtype=np.int64)
        sample = _proportion(sides, np.arange(0, total, max(1, total // CHUNK)))
        usual = float(np.median(sample))
        spread = 1.4826 * float(np.median(np.abs(sample - usual)))
        limit = max(float(np.log(TOLERATED)), SPREADS * spread)
        found = []
        for low in range(0, total, CHUNK):
            places = np.arange(low, min(low + CHUNK, total))
            found.append(places[np.abs(_proportion(sides, places) - usual) > limit])
        return np.concatenate(found)


def _proportion(sides: list[NDArray[np.uint16]], places: Places) -> NDArray[np.float32]:
    source, target = (np.log(side[places].astype(np.float32) + SLACK) for side in sides)
    difference: NDArray[np.float32] = source - target
    return difference


def _later_ones(hashes: Words) -> Places:
    order = np.argsort(hashes, kind="stable")  # stable: the first one stays
    ordered = hashes[order]
    return np.sort(order[1:][ordered[1:] == ordered[:-1]])
