"""Examine a corpus: one pass over each file, a little numpy, and a short look back for examples."""

from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import numpy as np

from dragoman.config.corpus import FilesCorpus
from dragoman.core.errors import DataError, ReadError
from dragoman.data.corpus.corpus import SMALLEST
from dragoman.data.corpus.doctor.alignment import AlignmentCheck
from dragoman.data.corpus.doctor.language import Sample, check_languages, check_scripts
from dragoman.data.corpus.doctor.notes import Notes, NotingFindings, both, shorten
from dragoman.data.corpus.doctor.repeats import PairHashes, Places
from dragoman.data.corpus.doctor.report import CorpusReport
from dragoman.data.corpus.doctor.symptoms import Symptom, Treatment
from dragoman.data.corpus.doctor.text import check_pair
from dragoman.data.formats.findings import Findings
from dragoman.data.formats.languages import LanguagePair
from dragoman.data.formats.pair import Numbered
from dragoman.data.formats.read import read_rows


def examine(settings: FilesCorpus, listing: TextIO | None = None) -> CorpusReport:
    """Look at every pair of a corpus and say what is wrong; the files are not changed.

    Every affected line goes to `listing` as file, line, finding and treatment between tabs. Only
    languages and scripts are judged on a sample.
    """
    notes = Notes(listing)
    sets = {name: _Set(settings, name, files, notes) for name, files in files_of(settings).items()}
    for one in sets.values():
        one.read()
    _compare(sets)
    for one in sets.values():
        one.fill_examples()
    return CorpusReport(
        pairs={name: one.pairs for name, one in sets.items()},
        findings=notes.findings(),
        sampled=sum(one.sampled for one in sets.values()),
    )


def files_of(settings: FilesCorpus) -> dict[str, tuple[Path, ...]]:
    """Return the files of a corpus by the set they belong to."""
    given = {
        "train": settings.train,
        "valid": settings.valid,
        "test": settings.test,
        "extra": settings.extra,
    }
    return {name: files for name, files in given.items() if files}


class _Set:
    """The files of one set of a corpus under the doctor's eyes."""

    def __init__(
        self, settings: FilesCorpus, name: str, files: tuple[Path, ...], notes: Notes
    ) -> None:
        self.pairs = 0
        self.sampled = 0
        self.unreadable = False
        self.numbers = PairHashes(with_targets=name != "train")
        self.dropped = np.zeros(0, dtype=np.int64)
        self._settings = settings
        self._name = name
        self._files = files
        self._notes = notes
        self._wanted = LanguagePair(settings.source_language, settings.target_language)

    def read(self) -> None:
        """Look at each pair, then at all of them together."""
        alignment, sample = AlignmentCheck(), Sample()
        try:
            for line, source, target in self._rows(NotingFindings(self._notes, self._name)):
                self.pairs += 1
                alignment.add(line, source or "", target or "")
                if self._is_kept(line, source, target):
                    self._look(line, source or "", target or "", sample)
        except ReadError:
            raise  # nothing is known of the corpus yet
        except DataError as error:
            self.unreadable = True
            self.note(Symptom.UNREADABLE, self.pairs + 1, str(error))
        shift = alignment.find_shift()
        if shift:
            self.note(Symptom.SHIFTED, shift.line, shift.words)
        pairs = sample.pairs()
        self.sampled = len(pairs)
        check_scripts(pairs, self.note)
        check_languages(pairs, self._wanted, self.note)

    def note(self, symptom: Symptom, line: int, example: str) -> None:
        """Note something about a line of this set."""
        self._notes.add(symptom, (self._name, self._files[0], line), example)

    def note_places(
        self, symptom: Symptom, places: Places, *, treatment: Treatment | None = None
    ) -> None:
        """Note something about pairs by their places."""
        lines = self.numbers.lines(places)
        self._notes.add_lines(symptom, self._name, self._files[0], lines, treatment=treatment)

    def fill_examples(self) -> None:
        """Read again as far as needed to show what was found by numbers alone."""
        bare = self._notes.without_example(self._name)
        last = max((one.lines[0] for one in bare), default=0)
        try:
            for line, source, target in self._rows(NotingFindings(Notes(), self._name)):
                if line > last:
                    break
                for one in bare:
                    if one.lines[0] == line and not one.example:
                        one.example = shorten(both(source, target))
        except ReadError:
            raise
        except DataError:
            return  # noted in the first pass

    def _rows(self, findings: Findings) -> Iterator[Numbered]:
        return read_rows(
            self._files,
            repair=self._settings.repair,
            findings=findings,
            format=self._settings.format,
            wanted=self._wanted,
        )

    def _is_kept(self, line: int, source: str | None, target: str | None) -> bool:
        longest = self._settings.max_characters
        if source is None or target is None or max(len(source), len(target)) > longest:
            self.note(Symptom.TOO_LONG, line, both(source, target))
            return False
        if not source.strip() or not target.strip():
            self.note(Symptom.EMPTY_SIDE, line, both(source, target))
            return False
        return True

    def _look(self, line: int, source: str, target: str, sample: Sample) -> None:
        self.numbers.add(line, source, target)
        sample.add(line, source, target)
        for symptom in check_pair(source, target):
            self.note(symptom, line, both(source, target))


def _compare(sets: dict[str, _Set]) -> None:
    """Note what is seen only when all pairs of all sets are known."""
    for name, one in sets.items():
        one.note_places(Symptom.LENGTH_RATIO, one.numbers.out_of_proportion())
        duplicates = one.numbers.duplicates()
        if name == "extra":  # which are trained on after the others
            earlier = one.numbers.repeating(sets["train"].numbers.hashes.pairs)
            duplicates = np.union1d(duplicates, earlier)
        held_out = name in ("valid", "test")  # nothing is dropped from these
        one.note_places(Symptom.DUPLICATE, duplicates, treatment="keep" if held_out else None)
        one.note_places(Symptom.TRANSLATIONS, one.numbers.further_translations(duplicates))
        one.dropped = duplicates
    train, valid, test = sets["train"], sets.get("valid"), sets.get("test")
    held = [one.numbers.hashes for one in (valid, test) if one is not None]
    if held:
        sources = np.unique(np.concatenate([one.sources for one in held]))
        targets = np.unique(np.concatenate([one.targets for one in held]))
        overlap = train.numbers.standing_in(sources)
        train.note_places(Symptom.OVERLAP, overlap)
        train.dropped = np.union1d(train.dropped, overlap)
        if "extra" in sets:
            extra = sets["extra"]
            places = extra.numbers.standing_in(sources), extra.numbers.aiming_at(targets)
            extra.note_places(Symptom.OVERLAP, np.union1d(*places))
    if valid is not None and test is not None:
        test.note_places(
            Symptom.HELD_OUT_OVERLAP, test.numbers.standing_in(valid.numbers.hashes.sources)
        )
    kept = len(train.numbers.hashes.sources) - len(train.dropped)
    if kept < SMALLEST and not train.unreadable:
        train.note(Symptom.TOO_SMALL, 1, f"{kept} pairs are left; at least {SMALLEST} are needed")
