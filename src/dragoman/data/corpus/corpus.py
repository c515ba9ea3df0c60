"""A corpus: what is trained on, and what is held out to judge it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from dragoman.config.corpus import FilesCorpus, GrammarCorpus
from dragoman.core.errors import DataError
from dragoman.data.corpus.generators.grammar.sample import draw_sets
from dragoman.data.corpus.split import TEST, TRAIN, VALID, Hashes, Split, split_sources
from dragoman.data.formats.findings import Findings, Kind
from dragoman.data.formats.languages import Wanted
from dragoman.data.formats.pair import Pair
from dragoman.data.formats.read import read_pairs

SMALLEST = 20
"""Different pairs below which nothing can be both learned from and held out."""

NAMES = {VALID: "validation", TEST: "test"}


@dataclass(frozen=True)
class Corpus:
    """Training pairs, read as they are needed; held-out pairs, in memory."""

    train: Callable[[], Iterator[Pair]]
    """Begins a new pass over the training pairs; every pass has the same order."""

    train_pairs: int
    valid: list[Pair]
    tests: dict[str, list[Pair]]
    """By name: `test` for files; `unseen` and `combinations` for the grammar."""

    findings: list[str]
    """What was repaired, dropped and held out, in plain words."""

    seed: int = 0
    files: tuple[Path, ...] = ()
    """The files it was read from; none for the grammar."""


def open_corpus(settings: FilesCorpus | GrammarCorpus, seed: int) -> Corpus:
    """Clean and split a corpus; the same settings and seed give the same sets."""
    match settings:
        case FilesCorpus():
            return _open_files(settings, seed)
        case GrammarCorpus():
            return _open_grammar(settings, seed)
        case _:
            assert_never(settings)


def _open_grammar(settings: GrammarCorpus, seed: int) -> Corpus:
    drawn = draw_sets(
        pairs=settings.pairs, held_out=settings.held_out, difficulty=settings.difficulty, seed=seed
    )
    train = [Pair(example.source, example.target) for example in drawn.train]
    return Corpus(
        train=lambda: iter(train),
        train_pairs=len(train),
        valid=[Pair(example.source, example.target) for example in drawn.valid],
        tests={
            "unseen": [Pair(example.source, example.target) for example in drawn.unseen],
            "combinations": [
                Pair(example.source, example.target) for example in drawn.combinations
            ],
        },
        findings=[],
        seed=seed,
    )


def _open_files(settings: FilesCorpus, seed: int) -> Corpus:
    findings = Findings()
    given = {
        which: list(_pairs(settings, files, findings))
        for which, files in ((VALID, settings.valid), (TEST, settings.test))
        if files is not None
    }
    wanted = [which for which in (VALID, TEST) if which not in given]
    split = _split(settings, seed, given, findings)
    sets = given | _collect(settings, split, wanted)
    return Corpus(
        train=lambda: _train(settings, split),
        train_pairs=split.count(TRAIN),
        valid=sets[VALID],
        tests={"test": sets[TEST]},
        findings=findings.lines() + _held_out_words(settings, split, wanted),
        seed=seed,
        files=(*settings.train, *(settings.valid or ()), *(settings.test or ())),
    )


def _split(
    settings: FilesCorpus, seed: int, given: dict[int, list[Pair]], findings: Findings
) -> Split:
    hashes = Hashes(seed)
    for pair in _pairs(settings, settings.train, findings):
        hashes.add(pair)
    known = [pair.source for pairs in given.values() for pair in pairs]
    wanted = [which for which in (VALID, TEST) if which not in given]
    split = split_sources(hashes, known, wanted, settings.held_out)
    findings.add_many(Kind.REPEATED, split.repeated)
    findings.add_many(Kind.LEAKED, split.leaked)
    if split.kept < SMALLEST:
        dropped = "".join(f"; {line}" for line in findings.lines())
        raise DataError(
            f"{settings.train[0]}: only {split.kept} different pairs to train on{dropped}. "
            f"At least {SMALLEST} are needed; give a larger corpus."
        )
    return split


def _pairs(settings: FilesCorpus, files: tuple[Path, ...], findings: Findings) -> Iterator[Pair]:
    return read_pairs(
        files,
        longest=settings.longest,
        repair=settings.repair,
        findings=findings,
        format=settings.format,
        wanted=Wanted(settings.source_language, settings.target_language),
    )


def _labelled(settings: FilesCorpus, split: Split) -> Iterator[tuple[int, Pair]]:
    """Read the training files again, each pair with the set it was given to."""
    sets = split.sets.tobytes()
    number = 0
    for number, pair in enumerate(_pairs(settings, settings.train, Findings()), 1):
        if number > len(sets):
            break
        yield sets[number - 1], pair
    if number != len(sets):
        raise DataError(
            f"{settings.train[0]}: the file has changed since it was opened "
            f"({len(sets):,} pairs then). Start again."
        )


def _train(settings: FilesCorpus, split: Split) -> Iterator[Pair]:
    return (pair for which, pair in _labelled(settings, split) if which == TRAIN)


def _collect(settings: FilesCorpus, split: Split, wanted: list[int]) -> dict[int, list[Pair]]:
    taken: dict[int, list[Pair]] = {which: [] for which in wanted}
    if wanted:
        for which, pair in _labelled(settings, split):
            if which in taken:
                taken[which].append(pair)
    return taken


def _held_out_words(settings: FilesCorpus, split: Split, wanted: list[int]) -> list[str]:
    words = []
    for which in wanted:
        count = split.count(which)
        less = settings.held_out > split.kept // 10
        why = f", not {settings.held_out:,}: a tenth of the corpus is the most" if less else ""
        words.append(f"{count:,} pairs held out for the {NAMES[which]} set{why}")
    return words
