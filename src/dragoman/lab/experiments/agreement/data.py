"""Sentences whose verb is asked for, and an n-gram model of them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np

from dragoman.config.settings import Settings
from dragoman.config.tokenizer import WordTokenizerSettings
from dragoman.core.files import write_atomic
from dragoman.data.corpus.generators.agreement import (
    MOST_DISTRACTORS,
    AgreementSentence,
    draw_agreements,
)
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.data.tokenizer.train import train_tokenizer
from dragoman.lab.baselines.kneser_ney import KneserNey

ORDERS = range(2, 7)
"""Lengths of n-grams that are tried; validation text chooses."""


class AgreementSampling(Settings):
    """How many sentences are drawn."""

    train: int
    valid: int
    learned: int = 1
    """The most distractors of a sentence that is learned from; equally many have each number."""
    tested: int
    """With each number of distractors; without any there are only 400 beginnings in all."""


@dataclass(frozen=True)
class AgreementCorpus:
    """The files of a corpus, one sentence on each line, and the tests."""

    train: Path
    valid: Path
    test: Path
    tests: list[list[AgreementSentence]]
    """By the number of distractors, all of which have the other number than the subject."""


def draw_sentences(sentences: AgreementSampling, seed: int, folder: Path) -> AgreementCorpus:
    """Draw sentences into a folder; none that is trained on begins like one of another set."""
    folder.mkdir(parents=True, exist_ok=True)
    known: set[str] = set()
    tests = [
        list(_fresh(_drawn(sentences.tested, seed, count), sentences.tested, known))
        for count in range(MOST_DISTRACTORS + 1)
    ]
    unseen = [one for one in _mixed(sentences, seed) if one.text not in known]
    valid = list(_fresh(unseen, sentences.valid, known))
    train = [one for one in unseen if one.text not in known][: sentences.train]
    files = [folder / f"{name}.txt" for name in ("train", "valid", "test")]
    for path, part in zip(files, (train, valid, [x for one in tests for x in one]), strict=True):
        write_atomic(path, "".join(f"{one.good}\n" for one in part))
    return AgreementCorpus(files[0], files[1], files[2], tests)


def _mixed(sentences: AgreementSampling, seed: int) -> list[AgreementSentence]:
    """Draw half as many again as are learned from: some begin like a sentence of the test."""
    numbers = range(sentences.learned + 1)
    each = 3 * (sentences.train + sentences.valid) // (2 * len(numbers))
    drawn = [draw_agreements(each, seed=seed, distractors=number) for number in numbers]
    mixed = [one for part in drawn for one in part]
    Random(f"agreement/mixed/{seed}").shuffle(mixed)
    return mixed


def _drawn(count: int, seed: int, distractors: int) -> list[AgreementSentence]:
    """Draw more than are wanted: they differ, but may begin alike."""
    return draw_agreements(6 * count, seed=seed, distractors=distractors, opposite=True)


def _fresh(
    drawn: Iterable[AgreementSentence], count: int, known: set[str]
) -> Iterator[AgreementSentence]:
    """Yield so many sentences that begin like none before; add their beginnings to those known."""
    left = count
    for one in drawn:
        if left and one.text not in known:
            known.add(one.text)
            left -= 1
            yield one


@dataclass(frozen=True)
class NGrams:
    """A Kneser–Ney model of the order that suits validation text best, with its vocabulary."""

    model: KneserNey
    vocabulary: Tokenizer
    order: int

    @classmethod
    def fit(cls, drawn: AgreementCorpus) -> "NGrams":
        """Count the training sentences."""
        train, valid = (path.read_text("utf-8").splitlines() for path in (drawn.train, drawn.valid))
        vocabulary = train_tokenizer(WordTokenizerSettings(), iter(train), [])
        shown, held = vocabulary.encode_batch(train), vocabulary.encode_batch(valid)
        size = sum(len(line.encode("utf-8")) for line in valid)
        found = [
            cls(KneserNey.fit(shown, order=n, vocabulary=vocabulary.size), vocabulary, n)
            for n in ORDERS
        ]
        return min(found, key=lambda one: one.model.surprise(held, size).bits_per_byte)

    @property
    def counts(self) -> int:
        """How many n-grams of any length are remembered."""
        return sum(len(length.keys) for length in self.model.lengths)

    def score(self, texts: Sequence[str]) -> list[float]:
        """Return the log-probability of each text."""
        likely = self.model.probabilities(self.vocabulary.encode_batch(list(texts)))
        return [float(np.log(one).sum()) for one in likely]
