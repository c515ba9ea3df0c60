"""One pair of languages in a corpus: its held-out sets, and what each direction trains on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dragoman.config.corpus import FilesCorpus
from dragoman.core.errors import DataError
from dragoman.data.corpus.split import (
    DROPPED,
    LEAKED,
    TEST,
    TRAIN,
    VALID,
    Hashes,
    PairSplit,
    among,
    repeats,
    split_sources,
)
from dragoman.data.formats.findings import FindingKind, Findings
from dragoman.data.formats.languages import LanguagePair
from dragoman.data.formats.pair import Pair
from dragoman.data.formats.read import read_pairs

FORWARD, BACKWARD = 1, 2
NAMES = {VALID: "validation", TEST: "test"}

Ways = NDArray[np.uint8]
"""For each pair of a stretch the directions that it trains, as FORWARD and BACKWARD added up."""


@dataclass(frozen=True)
class TrainingFiles:
    """Files that are trained on, read again in every pass."""

    settings: FilesCorpus
    files: tuple[Path, ...]
    ways: Ways
    extra: bool = False

    def pairs(self) -> int:
        """Count what it trains, each direction for itself."""
        return sum(int(np.count_nonzero(self.ways & way)) for way in (FORWARD, BACKWARD))

    def read(self) -> Iterator[tuple[int, Pair]]:
        """Yield each pair as it stands in the files, with the directions that it trains."""
        return labeled(self.settings, self.files, self.ways)


@dataclass(frozen=True)
class Secrets:
    """The texts of held-out sets, which training must not see, by the language written."""

    sources: Mapping[str, Sequence[str]]
    targets: Mapping[str, Sequence[str]]


class CorpusPart:
    """A corpus in files, split; its hashes are kept until other parts' held-out sets are known."""

    def __init__(self, settings: FilesCorpus, seed: int) -> None:
        self.settings = settings
        self.findings = Findings()
        self._given = {
            which: list(read_files(settings, files, self.findings))
            for which, files in ((VALID, settings.valid), (TEST, settings.test))
            if files is not None
        }
        self._wanted = [which for which in NAMES if which not in self._given]
        self._hashes = Hashes(seed, with_targets=settings.both_ways)
        for pair in read_files(settings, settings.train, self.findings):
            self._hashes.add(pair)
        known = [pair.source for pairs in self._given.values() for pair in pairs]
        self.split: PairSplit = split_sources(self._hashes, known, self._wanted, settings.held_out)
        self.findings.add_many(FindingKind.REPEATED, self.split.count(DROPPED))
        self.findings.add_many(FindingKind.LEAKED, self.split.count(LEAKED))
        self.seed = seed
        self.sets: dict[int, list[Pair]] = self._given | self._collect()

    @property
    def files(self) -> tuple[Path, ...]:
        """Every file that it is read from."""
        own = self.settings
        return (*own.train, *(own.valid or ()), *(own.test or ()), *(own.extra or ()))

    def _collect(self) -> dict[int, list[Pair]]:
        taken: dict[int, list[Pair]] = {which: [] for which in self._wanted}
        if taken:
            for which, pair in labeled(self.settings, self.settings.train, self.split.sets):
                if which in taken:
                    taken[which].append(pair)
        return taken

    def stretches(self, secrets: Secrets) -> list[TrainingFiles]:
        """Return what is trained on: nothing with the source of a held-out pair of any part.

        In the same direction, that is; the reverse of a pair has another source.
        """
        sets = self.split.sets
        ways = (sets == TRAIN) * np.uint8(FORWARD)
        if self.settings.both_ways:
            ways[(sets == TRAIN) | (sets == LEAKED)] |= BACKWARD
        there = self._hashes.of_all(secrets.sources[self.settings.target_language])
        self._forbid(ways, FORWARD, among(self._hashes.sources, there))
        if self.settings.both_ways:
            back = self._hashes.of_all(secrets.sources[self.settings.source_language])
            self._forbid(ways, BACKWARD, among(self._hashes.targets, back))
        found = [TrainingFiles(self.settings, self.settings.train, ways)]
        if self.settings.extra is not None:
            ways = self._extra(self.settings.extra, secrets)
            found.append(TrainingFiles(self.settings, self.settings.extra, ways, extra=True))
        return found

    def _forbid(self, ways: Ways, way: int, leaks: NDArray[np.bool_]) -> None:
        found = leaks & ((ways & way) > 0)
        ways[found] &= ~np.uint8(way)
        self.findings.add_many(FindingKind.LEAKED, int(np.count_nonzero(found)))

    def _extra(self, files: tuple[Path, ...], secrets: Secrets) -> Ways:
        """Decide which extra pairs are trained on, forward only: their sources may be synthetic.

        A held-out target gives its pair away as much as a held-out source does, and text for
        back-translation is just where it may stand.
        """
        language = self.settings.target_language
        hashes = Hashes(self.seed, with_targets=True)
        for pair in read_files(self.settings, files, self.findings):
            hashes.add(pair)
        ways = np.full(len(hashes.pairs), FORWARD, dtype=np.uint8)
        known = among(hashes.pairs, np.unique(self._hashes.pairs[self.split.sets == TRAIN]))
        repeated = repeats(hashes.pairs) | known
        ways[repeated] = 0
        self.findings.add_many(FindingKind.REPEATED, int(np.count_nonzero(repeated)))
        leaks = among(hashes.sources, hashes.of_all(secrets.sources[language]))
        leaks |= among(hashes.targets, hashes.of_all(secrets.targets[language]))
        self._forbid(ways, FORWARD, leaks)
        return ways

    def words(self) -> list[str]:
        """Say what was met and how much is held out."""
        words = self.findings.lines()
        for which in self._wanted:
            count = self.split.count(which)
            both = " both ways" if self.settings.both_ways else ""
            less = self.settings.held_out > self.split.kept // 10
            why = f", not {self.settings.held_out:,}: a tenth of the corpus is the most"
            name = NAMES[which]
            words.append(f"{count:,} pairs held out{both} for the {name} set{why if less else ''}")
        return words


def read_files(
    settings: FilesCorpus, files: tuple[Path, ...], findings: Findings
) -> Iterator[Pair]:
    """Read some of the files of a corpus as its settings say."""
    return read_pairs(
        files,
        longest=settings.max_characters,
        repair=settings.repair,
        findings=findings,
        format=settings.format,
        wanted=LanguagePair(settings.source_language, settings.target_language),
    )


def labeled(
    settings: FilesCorpus, files: tuple[Path, ...], labels: NDArray[np.uint8]
) -> Iterator[tuple[int, Pair]]:
    """Read files again, each pair with the label that it was given."""
    given = labels.tobytes()
    number = 0
    for number, pair in enumerate(read_files(settings, files, Findings()), 1):
        if number > len(given):
            break
        yield given[number - 1], pair
    if number != len(given):
        raise DataError(
            f"{files[0]}: the file has changed since it was opened "
            f"({len(given):,} pairs then). Start again."
        )
