"""Repeats, leaks and held-out sets, decided on 64-bit hashes so that ten million pairs fit.

Memory: about 28 bytes per pair at the peak, as measured between one and four million pairs: two
hashes of 8 bytes (source, pair) with the slack of a growing array, and 10 for finding a bucket.
A corpus used both ways has a third hash, of the target. Sorting happens in sixteen buckets and adds
little. Afterwards 1 byte per pair stays: the directions that it trains.
Among ten million pairs the chance that any two different ones share a hash is about 3 in a million.
"""

import hashlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman.core.errors import DataError
from dragoman.data.formats.pair import Pair

DROPPED, TRAIN, VALID, TEST, LEAKED = range(5)
BUCKETS = 16

Words = NDArray[np.uint64]
Mask = NDArray[np.bool_]


class Hashes:
    """Two or three numbers for each pair of a corpus, in the order of the corpus."""

    def __init__(self, seed: int, *, with_targets: bool = False) -> None:
        self._key = seed.to_bytes(16, "little", signed=True)
        self._sources = array("Q")
        self._targets = array("Q")
        self._pairs = array("Q")
        self._with_targets = with_targets

    def add(self, pair: Pair) -> None:
        """Remember one more pair; space around a sentence does not make it another one."""
        source, target = pair.source.strip(), pair.target.strip()
        self._sources.append(self.of(source))
        self._pairs.append(self.of(f"{source}\n{target}"))
        if self._with_targets:
            self._targets.append(self.of(target))

    def of(self, text: str) -> int:
        """Return 64 bits that depend on the text and the seed and on nothing else."""
        digest = hashlib.blake2b(text.encode("utf-8"), digest_size=8, key=self._key).digest()
        return int.from_bytes(digest, "little")

    def of_all(self, texts: Iterable[str]) -> Words:
        """Return the hashes of texts, as stripped, in order of size and each one once."""
        return np.unique(np.array([self.of(text.strip()) for text in texts], np.uint64))

    @property
    def sources(self) -> Words:
        """The hash of each source, as stripped."""
        return np.frombuffer(self._sources, dtype=np.uint64)

    @property
    def targets(self) -> Words:
        """The hash of each target, as stripped; none unless they were asked for."""
        return np.frombuffer(self._targets, dtype=np.uint64)

    @property
    def pairs(self) -> Words:
        """The hash of each pair, as stripped."""
        return np.frombuffer(self._pairs, dtype=np.uint64)


@dataclass(frozen=True)
class PairSplit:
    """For each pair of a corpus the set it belongs to, one byte each."""

    sets: NDArray[np.uint8]
    kept: int
    """Pairs left when repeats and leaks were dropped."""

    def count(self, which: int) -> int:
        """Return how many pairs belong to a set."""
        return int(np.count_nonzero(self.sets == which))


def split_sources(
    hashes: Hashes, known: Sequence[str], wanted: Sequence[int], held_out: int
) -> PairSplit:
    """Decide the set of each pair.

    `known` are the sources of held-out sets that came from files: training must not see them.
    For each of the `wanted` sets up to `held_out` pairs are taken, never more than a tenth of the
    corpus, and always all pairs of a source together. Which ones depends on the seed and on the
    text, not on the order of the lines.
    """
    sources = hashes.sources
    sets = np.full(len(sources), TRAIN, dtype=np.uint8)
    sets[repeats(hashes.pairs)] = DROPPED
    sets[among(sources, hashes.of_all(known)) & (sets == TRAIN)] = LEAKED
    kept = int(np.count_nonzero(sets == TRAIN))
    share = min(held_out, kept // 10)
    if wanted and share:
        _take(sources, sets, wanted, share)
    return PairSplit(sets, kept)


def repeats(pairs: Words) -> Mask:
    """Say of each pair whether it stands earlier already."""
    found = np.zeros(len(pairs), dtype=bool)
    for places in _buckets(pairs):
        order = np.argsort(pairs[places], kind="stable")  # stable: the first one stays
        ordered = pairs[places[order]]
        found[places[order[1:][ordered[1:] == ordered[:-1]]]] = True
    return found


def among(hashes: Words, known: Words) -> Mask:
    """Say of each hash whether it is among the known ones."""
    found = np.zeros(len(hashes), dtype=bool)
    if len(known):
        for places in _buckets(hashes):
            found[places] = np.isin(hashes[places], known)
    return found


def _buckets(hashes: Words) -> Iterator[NDArray[np.int64]]:
    """Yield the places of the hashes bucket by bucket; equal hashes share a bucket."""
    shift = np.uint64(64 - BUCKETS.bit_length() + 1)
    for bucket in range(BUCKETS):
        yield np.flatnonzero((hashes >> shift) == bucket)


def _take(sources: Words, sets: NDArray[np.uint8], wanted: Sequence[int], share: int) -> None:
    """Give the sources with the smallest hashes to the wanted sets, whole sources at a time."""
    part = min(1.0, 4.0 * len(wanted) * share / int(np.count_nonzero(sets == TRAIN)))
    while not _filled(sources, sets, wanted, share, part):
        if part >= 1.0:
            raise DataError(
                f"no whole source fits into a held-out set of {share} pairs: too many pairs share "
                "one source. Give validation and test files of your own."
            )
        part = min(1.0, 4 * part)


def _filled(
    sources: Words, sets: NDArray[np.uint8], wanted: Sequence[int], share: int, part: float
) -> bool:
    """Try it among the smallest `part` of the hashes; True when every set found its share."""
    limit = np.uint64(min(2**64 - 1, int(part * 2**64)))
    places = np.flatnonzero((sources <= limit) & (sets == TRAIN))
    values, inverse, counts = np.unique(sources[places], return_inverse=True, return_counts=True)
    chosen = np.full(len(values), TRAIN, dtype=np.uint8)
    at = 0
    for which in wanted:
        room = share
        while at < len(values) and (counts[at] <= room or room == share):
            if counts[at] <= room:  # a source with more translations than that stays in training
                chosen[at] = which
                room -= int(counts[at])
            at += 1
        if room == share or (at == len(values) and room and part < 1.0):
            return False
    sets[places] = chosen[inverse]
    return True
