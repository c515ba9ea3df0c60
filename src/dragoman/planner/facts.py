"""Facts that a recipe is chosen by: the corpus, the machine, the time."""

from dataclasses import dataclass
from itertools import islice
from statistics import fmean

from dragoman.core.errors import DataError
from dragoman.data.corpus.corpus import Corpus
from dragoman.data.formats.pair import Pair
from dragoman.engine.runtime import cores, memory

SAMPLE = 20_000
"""Pairs that lengths and speeds are measured on, spread over the whole corpus."""


@dataclass(frozen=True)
class CorpusFacts:
    """The corpus in a few numbers, and what there is to train it with."""

    pairs: int
    """To train on, when repeats, leaks and held-out pairs are gone."""

    characters: float
    """Of a target sentence, on average."""

    longest_characters: int
    """Of the longer side, in all but one of a hundred pairs."""

    letters: int
    """Different characters in the sample, both sides together."""

    cores: int
    memory: float
    """GiB of the machine."""

    seconds: float
    """The time that training may take, by the clock."""

    @property
    def core_minutes(self) -> float:
        """What the machine can do in the time."""
        return self.cores * self.seconds / 60


def sample(corpus: Corpus, size: int = SAMPLE) -> list[Pair]:
    """Return pairs from all over the training part of a corpus, the same ones each time."""
    step = max(1, corpus.train_pairs // size) | 1  # odd: both directions stand in turn
    return list(islice(islice(corpus.train(), 0, None, step), size))


def gather(corpus: Corpus, pairs: list[Pair], seconds: float, threads: int) -> CorpusFacts:
    """Look at a corpus, through a sample of it, and at the machine."""
    if not pairs:
        raise DataError("the corpus has no pairs to train on.")
    lengths = sorted(max(len(pair.source), len(pair.target)) for pair in pairs)
    return CorpusFacts(
        pairs=corpus.train_pairs,
        characters=fmean(len(pair.target) for pair in pairs),
        longest_characters=lengths[int(0.99 * (len(lengths) - 1))],
        letters=len({letter for pair in pairs for side in pair for letter in side}),
        cores=threads or cores(),
        memory=memory(),
        seconds=seconds,
    )
