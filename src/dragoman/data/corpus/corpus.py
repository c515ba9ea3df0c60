"""A corpus: what is trained on, and what is held out to judge it."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import assert_never

from dragoman.config.corpus import CorpusSettings, FilesCorpus, GrammarCorpus, SeveralCorpus
from dragoman.core.errors import DataError
from dragoman.data.corpus.part import BACKWARD, FORWARD, CorpusPart, Secrets, TrainingFiles
from dragoman.data.corpus.random_order import in_random_order
from dragoman.data.corpus.split import TEST, VALID
from dragoman.data.corpus.tags import MARK, Direction, set_names, tag, tagged
from dragoman.data.formats.pair import Pair
from dragoman.data.grammar.sample import GrammarExample, draw_sets

SMALLEST = 20
"""Different pairs below which nothing can be both learned from and held out."""


@dataclass(frozen=True)
class Corpus:
    """Training pairs, read as they are needed; held-out pairs, in memory."""

    train: Callable[[], Iterator[Pair]]
    """Begins a new pass over the training pairs; every pass has the same order."""

    train_pairs: int
    valid: list[Pair]
    """In random order: the first few are a sample, of distinct sources where possible."""

    tests: dict[str, list[Pair]]
    """By name: `test` for files, or one for each direction (`en_es`) where there are several;
    `unseen`, `combinations` and, with the phrasebook, `everyday` for the grammar."""

    findings: list[str]
    """What was repaired, dropped and held out, in plain words."""

    seed: int = 0
    files: tuple[Path, ...] = ()
    """The files it was read from; none for the grammar."""


def open_corpus(settings: CorpusSettings, seed: int) -> Corpus:
    """Clean and split a corpus; the same settings and seed give the same sets.

    A seed in the settings comes before the given one, which is the recipe's.
    """
    chosen = seed if settings.seed is None else settings.seed
    match settings:
        case FilesCorpus():
            return _open_files(settings, (settings,), chosen)
        case SeveralCorpus():
            return _open_files(settings, settings.parts, chosen)
        case GrammarCorpus():
            return _open_grammar(settings, chosen)
        case _:
            assert_never(settings)


def _open_grammar(settings: GrammarCorpus, seed: int) -> Corpus:
    drawn = draw_sets(
        pairs=settings.pairs,
        held_out=settings.held_out,
        difficulty=settings.difficulty,
        seed=seed,
        phrasebook=settings.phrasebook,
    )

    def pairs(examples: list[GrammarExample]) -> list[Pair]:
        return [Pair(example.source, example.target) for example in examples]

    train = pairs(drawn.train)
    tests = {"unseen": pairs(drawn.unseen), "combinations": pairs(drawn.combinations)}
    if drawn.everyday:
        tests["everyday"] = pairs(drawn.everyday)
    return Corpus(
        train=lambda: iter(train),
        train_pairs=len(train),
        valid=pairs(drawn.valid),
        tests=tests,
        findings=[],
        seed=seed,
    )


def _open_files(
    settings: FilesCorpus | SeveralCorpus, own: tuple[FilesCorpus, ...], seed: int
) -> Corpus:
    parts = [CorpusPart(part, seed if part.seed is None else part.seed) for part in own]
    for part in parts:
        _check_size(part)
    tags = {target: tag(settings, target) for _, target in set_names(settings)}
    valid = _held_out(parts, VALID)
    test = _held_out(parts, TEST)
    secrets = _secrets([valid, test])
    stretches = [stretch for part in parts for stretch in part.stretches(secrets)]
    names = set_names(settings)
    if isinstance(settings, FilesCorpus) and not settings.both_ways:
        names = dict.fromkeys(names, "test")
    return Corpus(
        train=lambda: _train(stretches, tags),
        train_pairs=sum(stretch.pairs() for stretch in stretches),
        valid=list(
            _in_turn(
                [
                    in_random_order(_tagged(pairs, tags[way[1]]), seed, lambda pair: pair.source)
                    for way, pairs in valid.items()
                ]
            )
        ),
        tests={names[way]: _tagged(pairs, tags[way[1]]) for way, pairs in test.items()},
        findings=[line for part in parts for line in _words(part, alone=len(parts) == 1)],
        seed=seed,
        files=tuple(dict.fromkeys(path for part in parts for path in part.files)),
    )


def _check_size(part: CorpusPart) -> None:
    if part.split.kept < SMALLEST:
        dropped = "".join(f"; {line}" for line in part.findings.lines())
        raise DataError(
            f"{part.settings.train[0]}: only {part.split.kept} different pairs to train "
            f"on{dropped}. At least {SMALLEST} are needed; give a larger corpus."
        )


def _held_out(parts: list[CorpusPart], which: int) -> dict[Direction, list[Pair]]:
    """Gather one held-out set of every part by direction; a pair is held out both ways or none."""
    found: dict[Direction, list[Pair]] = {}
    for part in parts:
        pairs, own = part.sets[which], part.settings
        way = (own.source_language, own.target_language)
        found.setdefault(way, []).extend(pairs)
        if own.both_ways:
            found.setdefault(way[::-1], []).extend(Pair(p.target, p.source) for p in pairs)
    return found


def _secrets(sets: list[dict[Direction, list[Pair]]]) -> Secrets:
    sources: dict[str, list[str]] = defaultdict(list)
    targets: dict[str, list[str]] = defaultdict(list)
    for ways in sets:
        for (_, language), pairs in ways.items():
            sources[language] += [pair.source for pair in pairs]
            targets[language] += [pair.target for pair in pairs]
    return Secrets(sources, targets)


def _tagged(pairs: list[Pair], language: str) -> list[Pair]:
    return [Pair(tagged(pair.source, language), pair.target) for pair in pairs]


def _in_turn(sets: list[list[Pair]]) -> Iterator[Pair]:
    """Take one pair of each set in turn, so that the first few hold all directions."""
    for row in zip_longest(*sets):
        yield from (pair for pair in row if pair is not None)


def _train(stretches: list[TrainingFiles], tags: dict[str, str]) -> Iterator[Pair]:
    """Yield every pair that is trained on, followed by its reverse where that is trained too."""
    for stretch in stretches:
        own = stretch.settings
        mark = MARK if stretch.extra and own.tag_extra else ""
        there = tagged("", tags[own.target_language], mark)
        back = tagged("", tags[own.source_language]) if own.both_ways else ""
        for ways, pair in stretch.read():
            if ways & FORWARD:
                yield Pair(there + pair.source, pair.target)
            if ways & BACKWARD:
                yield Pair(back + pair.target, pair.source)


def _words(part: CorpusPart, alone: bool) -> list[str]:
    own = part.settings
    before = "" if alone else f"{own.source_language} to {own.target_language}: "
    return [f"{before}{line}" for line in part.words()]
