"""Sentences of every length: many to learn from, and equally many of each length for the test."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import fmean

from dragoman.config.settings import Settings
from dragoman.core.files import write_atomic
from dragoman.data.formats.pair import Pair
from dragoman.data.grammar.sample import Drawer, familiar

EDGES = (10, 15, 20, 25, 30, 40)
"""Words of the source with which each bucket ends; longer sentences are not tested."""
SHARES = {2: 0.25, 3: 0.25, 5: 0.5}
"""Of each difficulty of the grammar: short and plain sentences stand beside long and winding
ones, as in any text."""


class LengthSampling(Settings):
    """How many sentences are drawn, and from which seed."""

    train: int
    valid: int
    drawn: int
    """For the test; of these the first `tested` of each bucket are taken."""
    tested: int
    seed: int = 1


@dataclass(frozen=True)
class LengthCorpus:
    """The files of a corpus, one pair on each line."""

    train: Path
    valid: Path
    test: Path


def draw_sentences(sentences: LengthSampling, folder: Path) -> LengthCorpus:
    """Draw the sentences into a folder, unless they are there already."""
    files = LengthCorpus(*(folder / f"{name}.tsv" for name in ("train", "valid", "test")))
    mark, wanted = folder / "drawn.json", sentences.model_dump_json()
    if mark.is_file() and mark.read_text(encoding="utf-8") == wanted:
        return files
    folder.mkdir(parents=True, exist_ok=True)
    drawers = {difficulty: Drawer(difficulty, sentences.seed) for difficulty in SHARES}
    seen: set[str] = set()
    for drawer in drawers.values():
        drawer.seen = seen  # no sentence twice, whichever difficulty it is of

    def draw(name: str, count: int) -> list[Pair]:
        counts = {difficulty: int(share * count) for difficulty, share in SHARES.items()}
        counts[max(SHARES)] += count - sum(counts.values())
        examples = [
            example
            for difficulty, drawer in drawers.items()
            for example in drawer.draw(name, counts[difficulty], familiar)
        ]
        Random(f"{name}/{sentences.seed}").shuffle(examples)
        return [Pair(one.source, one.target) for one in examples]

    _write(files.valid, draw("valid", sentences.valid))
    _write(files.test, level(draw("unseen", sentences.drawn), sentences.tested))
    _write(files.train, draw("train", sentences.train))
    write_atomic(mark, wanted)
    return files


def level(pairs: Iterable[Pair], most: int) -> list[Pair]:
    """Take the first `most` pairs of each bucket of lengths, and none that is too long."""
    taken: Counter[int] = Counter()
    kept = []
    for pair in pairs:
        bucket = bucket_of(pair.source)
        taken[bucket] += 1
        if bucket and taken[bucket] <= most:
            kept.append(pair)
    return kept


def bucket_of(source: str) -> int:
    """Return the edge that a sentence's bucket ends with, or 0 beyond the last."""
    words = len(source.split())
    return next((edge for edge in EDGES if words <= edge), 0)


def read_test(drawn: LengthCorpus) -> list[Pair]:
    """Read the test."""
    lines = drawn.test.read_text(encoding="utf-8").splitlines()
    return [Pair(*line.split("\t")) for line in lines]


def mean_words(sources: Sequence[str]) -> list[float]:
    """Return the mean length of the sentences of each bucket that has some."""
    lengths: dict[int, list[int]] = {}
    for source in sources:
        lengths.setdefault(bucket_of(source), []).append(len(source.split()))
    return [fmean(lengths[edge]) for edge in sorted(lengths)]


def _write(path: Path, pairs: Iterable[Pair]) -> None:
    write_atomic(path, "".join(f"{one.source}\t{one.target}\n" for one in pairs))
