"""The best answer that is always the same: what a search for missing words must beat."""

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import NamedTuple

from dragoman.core.errors import ConfigError
from dragoman.data.corpus.generators.corruptions import Missing
from dragoman.lab.results import Measurement

FIGURES = {
    "place": "place",
    "word": "word",
    "both": "both",
    "word_5": "word in 5",
    "both_5": "both in 5",
}
"""Shares of right answers: of the first guess, and of one among the first five."""
TOP = 5


class ConstantAnswer(NamedTuple):
    """The best answer that is always the same, from words taken out of training sentences."""

    place: tuple[bool, int]
    """Whether gaps are counted from the end, and the gap where a word is missing most often."""
    words: list[str]
    """The words that are missing most often."""
    both: list[tuple[bool, int, str]]
    """Places with their words, likewise."""

    @classmethod
    def of(cls, known: Iterable[Missing]) -> "ConstantAnswer":
        """Count where words are missing and which; the text itself is not looked at."""
        places: Counter[tuple[bool, int]] = Counter()
        words: Counter[str] = Counter()
        both: Counter[tuple[bool, int, str]] = Counter()
        for one in known:
            word = one.word.casefold()
            words[word] += 1
            places.update(_places(one))
            both.update((*place, word) for place in _places(one))
        if not words:
            raise ConfigError("missing-word: no training sentence can lose a word.")
        return cls(
            places.most_common(1)[0][0],
            [word for word, _ in words.most_common(TOP)],
            [found for found, _ in both.most_common(TOP)],
        )


def _places(one: Missing) -> tuple[tuple[bool, int], tuple[bool, int]]:
    """Return the gap of a missing word, counted from the beginning and from the end."""
    return (False, one.place), (True, len(one.text.split()) - one.place)


def always_the_same(constant: ConstantAnswer, examples: Sequence[Missing]) -> Measurement:
    """Return how often the best constant answer, or one of the first five, is right."""
    hits: list[list[bool]] = []
    for one in examples:
        word = one.word.casefold()
        pairs = {(*place, word) for place in _places(one)}
        named = [word == known for known in constant.words]
        both = [known in pairs for known in constant.both]
        hits.append([constant.place in _places(one), named[0], both[0], any(named), any(both)])
    shares = (fmean(column) for column in zip(*hits, strict=True))
    return dict(zip(FIGURES, shares, strict=True)) | {"parameters": 0, "scored": 0.0}
