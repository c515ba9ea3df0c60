"""Texts with a class each: what is trained on, and what is held out to judge it.

A row that stands in a file twice is read once. Which rows are held out depends on the seed and on
their text, not on their order; of each class the same share is held out, and all rows of one text
stay together, so that no text that is trained on is ever tested.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

import numpy as np

from dragoman.config.corpus import GeneratedLabels, LabeledCorpus, LabeledSettings
from dragoman.core.errors import DataError, nearest
from dragoman.data.corpus.generated_labels import draw_labeled
from dragoman.data.corpus.random_order import in_random_order
from dragoman.data.corpus.split import (
    DROPPED,
    LEAKED,
    TEST,
    TRAIN,
    VALID,
    Hashes,
    Mask,
    Words,
    among,
    repeats,
)
from dragoman.data.corpus.stratified import Numbers, Sets, hold_out
from dragoman.data.formats.findings import Findings
from dragoman.data.formats.labeled import LabelColumns, LabeledText, RowFindings, read_labeled
from dragoman.data.formats.pair import Pair

MOST_CLASSES = 1000
"""Classes beyond which a column is hardly one of classes."""

NAMED = 20
"""Classes up to which each is told with its size."""

NAMES = {VALID: "validation", TEST: "test"}


@dataclass(frozen=True)
class LabeledTexts:
    """Rows to train on, read as they are needed; held-out rows, in memory."""

    train: Callable[[], Iterator[LabeledText]]
    """Begins a new pass over the training rows; every pass has the same order."""

    classes: dict[str, int]
    """How many rows of each class are trained on, in alphabetical order."""

    valid: list[LabeledText]
    """In random order, like that of pairs."""

    test: list[LabeledText]
    findings: list[str]
    seed: int
    files: tuple[Path, ...] = ()

    @property
    def train_rows(self) -> int:
        """Rows that are trained on."""
        return sum(self.classes.values())


@dataclass(frozen=True)
class LabeledRow:
    """A row, and the file and line that it stands in."""

    place: str
    row: LabeledText


def open_labeled(settings: LabeledSettings, seed: int) -> LabeledTexts:
    """Clean and split labelled texts; the same settings and seed give the same sets.

    A seed in the settings comes before the given one, which is the recipe's.
    """
    chosen = seed if settings.seed is None else settings.seed
    match settings:
        case LabeledCorpus():
            return _open_files(settings, chosen)
        case GeneratedLabels():
            train, valid, test = draw_labeled(settings, chosen)
            classes = dict(sorted(Counter(row.label for row in train).items()))
            return LabeledTexts(lambda: iter(train), classes, valid, test, [sizes(classes)], chosen)
        case _:
            assert_never(settings)


def read_tables(
    settings: LabeledSettings, files: Sequence[Path], findings: Findings
) -> Iterator[LabeledRow]:
    """Yield the rows of some tables, one after the other; settings say what columns are called."""
    columns, repair = LabelColumns(), True
    if isinstance(settings, LabeledCorpus):
        columns, repair = LabelColumns(settings.text, settings.label), settings.repair
    for path in files:
        for number, row in read_labeled(path, columns, repair=repair, findings=findings):
            yield LabeledRow(f"{path}:{number}", row)


def check_known(rows: Sequence[LabeledRow], classes: Collection[str]) -> None:
    """Refuse rows of a class that is not trained on."""
    for one in rows:
        if one.row.label not in classes:
            hint = nearest(one.row.label, list(classes)[:NAMED])
            raise DataError(
                f"{one.place}: the class {one.row.label!r} stands in no row that is trained on. "
                f"{hint}"
            )


def sizes(classes: Mapping[str, int]) -> str:
    """Say how many classes there are, and how many rows each has."""
    by_size = sorted(classes.items(), key=lambda item: (-item[1], item[0]))
    told = [f"{label} {count:,}" for label, count in by_size]
    if len(told) > NAMED:
        told = [*told[: NAMED // 2], "…", told[-1]]
    return f"{len(classes):,} classes to train on: {', '.join(told)}"


class _Index:
    """The hashes and the class of every training row, in the order of the files."""

    def __init__(self, seed: int) -> None:
        self.hashes = Hashes(seed)
        self.places: dict[str, str] = {}
        """Where each class stands first; the first class has the number 0."""
        self._numbers: dict[str, int] = {}
        self._labels = array("H")

    def add(self, one: LabeledRow) -> None:
        """Remember one more row."""
        text, label = one.row
        if label not in self._numbers:
            if len(self._numbers) == MOST_CLASSES:
                raise DataError(
                    f"{one.place}: {label[:40]!r} is class number {MOST_CLASSES + 1:,}, and "
                    f"{MOST_CLASSES:,} is the most. Is this the column of the classes?"
                )
            self._numbers[label] = len(self._numbers)
            self.places[label] = one.place
        self.hashes.add(Pair(text, label))
        self._labels.append(self._numbers[label])

    @property
    def labels(self) -> Numbers:
        """The class of each row."""
        return np.frombuffer(self._labels, dtype=np.uint16)

    def counts(self, kept: Mask) -> dict[str, int]:
        """Count the kept rows of each class."""
        found = np.bincount(self.labels[kept], minlength=len(self.places))
        return dict(zip(self.places, found.tolist(), strict=True))


def _open_files(settings: LabeledCorpus, seed: int) -> LabeledTexts:
    findings = RowFindings()
    own = {
        VALID: _given(settings, settings.valid, findings),
        TEST: _given(settings, settings.test, findings),
    }
    index = _Index(seed)
    for one in read_tables(settings, settings.train, findings):
        index.add(one)
    _check_classes(settings, index)
    for given in own.values():
        check_known(given or (), index.places)
    sets, words = _split(settings, index, own)
    held = {which: [one.row for one in given or ()] for which, given in own.items()}
    again = read_tables(settings, settings.train, Findings())
    for which, one in zip(sets.tolist(), again, strict=True):
        if own.get(which, ()) is None:
            held[which].append(one.row)
    classes = dict(sorted(index.counts(sets == TRAIN).items()))
    files = (settings.train, settings.valid or (), settings.test or ())
    return LabeledTexts(
        train=lambda: _chosen(settings, sets),
        classes=classes,
        valid=in_random_order(held[VALID], seed, lambda row: row.text),
        test=held[TEST],
        findings=[*findings.lines(), *words, sizes(classes)],
        seed=seed,
        files=tuple(dict.fromkeys(path for part in files for path in part)),
    )


def _given(
    settings: LabeledCorpus, files: Sequence[Path] | None, findings: Findings
) -> list[LabeledRow] | None:
    if files is None:
        return None
    found = list(read_tables(settings, files, findings))
    if not found:
        raise DataError(f"{files[0]}: holds no text with a class. Give some, or leave it out.")
    return found


def _check_classes(settings: LabeledCorpus, index: _Index) -> None:
    if not index.places:
        raise DataError(f"{settings.train[0]}: holds no text with a class to train on.")
    if len(index.places) == 1:
        ((label, place),) = index.places.items()
        raise DataError(
            f"{place}: {label!r} is the class of this text and of all others. "
            "A classifier needs two classes or more."
        )


def _split(
    settings: LabeledCorpus, index: _Index, own: Mapping[int, list[LabeledRow] | None]
) -> tuple[Sets, list[str]]:
    """Decide the set of each row; return with it what there is to say about that."""
    texts = index.hashes.sources
    sets = np.full(len(texts), TRAIN, dtype=np.uint8)
    sets[repeats(index.hashes.pairs)] = DROPPED
    known = index.hashes.of_all(one.row.text for given in own.values() for one in given or ())
    sets[among(texts, known) & (sets == TRAIN)] = LEAKED
    wanted = [which for which, given in own.items() if given is None]
    before = index.counts(sets == TRAIN)
    if wanted:
        _check_enough(index, before)
    split = hold_out(texts, index.labels, sets, wanted, settings.held_out)
    if any(which not in split for which in wanted):
        raise DataError(
            f"{settings.train[0]}: no class has texts enough to hold some out. Give more texts, or "
            "files of your own as corpus.valid and corpus.test."
        )
    for label, count in index.counts(split == TRAIN).items():
        if not count:
            raise DataError(
                f"{index.places[label]}: no text of the class {label!r} is left to train on. "
                "Give it more texts, or take it out."
            )
    return split, _words(texts, split, wanted, before)


def _check_enough(index: _Index, counts: Mapping[str, int]) -> None:
    for label, count in counts.items():
        if count == 1:
            raise DataError(
                f"{index.places[label]}: the class {label!r} has one text only, so that none can "
                "be held out. Give it more, or take it out; if this line is a header, remove it or "
                "name its columns as corpus.text and corpus.label."
            )


def _words(texts: Words, sets: Sets, wanted: Sequence[int], counts: Mapping[str, int]) -> list[str]:
    def count(which: int) -> int:
        return int(np.count_nonzero(sets == which))

    kept = texts[(sets != DROPPED) & (sets != LEAKED)]
    several = int(np.count_nonzero(np.unique(kept, return_counts=True)[1] > 1))
    told = [
        (count(DROPPED), "rows dropped: the same text and class stand earlier"),
        (count(LEAKED), "rows dropped from training: the same text is held out"),
        (several, "texts have more than one class; their rows stay in one set"),
        *((count(which), f"rows held out for the {NAMES[which]} set") for which in wanted),
        (
            sum(size <= len(wanted) for size in counts.values()) if wanted else 0,
            "classes are too small to be held out for each set",
        ),
    ]
    return [f"{number:,} {words}" for number, words in told if number]


def _chosen(settings: LabeledCorpus, sets: Sets) -> Iterator[LabeledText]:
    again = read_tables(settings, settings.train, Findings())
    for which, one in zip(sets.tolist(), again, strict=True):
        if which == TRAIN:
            yield one.row
