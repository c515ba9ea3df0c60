"""Language and script identification of each side, on a sample of at most 20,000 pairs."""

import random
import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from dragoman.data.corpus.doctor.notes import both
from dragoman.data.corpus.doctor.symptoms import Symptom
from dragoman.data.corpus.doctor.text import is_copy
from dragoman.data.formats.identify import identifier
from dragoman.data.formats.languages import LanguagePair, plain
from dragoman.data.formats.pair import Pair

SAMPLE = 20_000
LONGEST = 1000
"""Characters of a line that are looked at."""
CONFIDENT = 0.9
COMMON = 0.6
"""The share of the confident lines that makes a language that of its side."""
FEWEST_LINES = 20
FEWEST_LETTERS = 4
ALIKE = (
    "hr sr bs sh",
    "id ms",
    "no nb nn da",
    "hi mr ne sa",
    "cs sk",
    "gl pt",
    "zh yue wuu",
    "af nl",
)
"""Languages that a short line does not tell apart."""
EAST = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "IDEOGRAPHIC")

Note = Callable[[Symptom, int, str], None]


class SampledPair(NamedTuple):
    """One pair of the sample."""

    line: int
    source: str
    target: str

    @property
    def sides(self) -> tuple[str, str]:
        """Both texts."""
        return self.source, self.target


class Sample:
    """Pairs drawn evenly from a stream of any length (Vitter's reservoir), the same each time."""

    def __init__(self, size: int = SAMPLE) -> None:
        self._size = size
        self._seen = 0
        self._random = random.Random(0)
        self._pairs: list[SampledPair] = []

    def add(self, line: int, source: str, target: str) -> None:
        """Offer the next pair."""
        self._seen += 1
        if len(self._pairs) < self._size:
            self._pairs.append(SampledPair(line, source[:LONGEST], target[:LONGEST]))
            return
        place = int(self._random.random() * self._seen)
        if place < self._size:
            self._pairs[place] = SampledPair(line, source[:LONGEST], target[:LONGEST])

    def pairs(self) -> list[SampledPair]:
        """Return the sample in the order of the lines."""
        return sorted(self._pairs)


def check_scripts(pairs: list[SampledPair], note: Note) -> None:
    """Note lines without a single letter of the script that their side is written in."""
    for side in (0, 1):
        counts = [_scripts(pair.sides[side]) for pair in pairs]
        total: Counter[str] = Counter()
        for found in counts:
            total.update(found)
        if not total:
            continue
        usual, letters = total.most_common(1)[0]
        if letters < COMMON * total.total():
            continue
        for pair, found in zip(pairs, counts, strict=True):
            if found.total() < FEWEST_LETTERS or found[usual] or is_copy(*pair.sides):
                continue
            other = found.most_common(1)[0][0]
            words = f"{pair.sides[side]} ({other.lower()}, not {usual.lower()})"
            note(Symptom.WRONG_SCRIPT, pair.line, words)


def _scripts(text: str) -> Counter[str]:
    return Counter(_script(character) for character in text if character.isalpha())


@lru_cache(maxsize=65_536)
def _script(letter: str) -> str:
    name = unicodedata.name(letter, "UNNAMED").split()[0]
    return "EAST-ASIAN" if name in EAST else name


def check_languages(pairs: list[SampledPair], wanted: LanguagePair, note: Note) -> None:
    """Note lines in another language than their side, and sides that changed places."""
    if sum(any(map(str.isalpha, pair.source + pair.target)) for pair in pairs) < FEWEST_LINES:
        return
    model = identifier()
    guesses = [[model.classify(text) for text in side] for side in _sides(pairs)]
    found = [[_sure(guess) for guess in side] for side in guesses]
    usual = [_usual(side) for side in found]
    told = [_told(name, model.labels) for name in wanted]
    if _changed_places(usual, told):
        words = f"the source is {usual[0]} and the target {usual[1]}, not the other way round"
        note(Symptom.SWAPPED, pairs[0].line, words)
        return
    expected = [told[side] or usual[side] for side in (0, 1)]
    for number, pair in enumerate(pairs):
        odd = [_odd(found[side][number], expected[side]) for side in (0, 1)]
        if not any(odd) or is_copy(*pair.sides):
            continue
        if [guesses[1][number][0], guesses[0][number][0]] == expected:
            note(Symptom.SWAPPED_PAIR, pair.line, both(*pair.sides))
        else:
            side = 0 if odd[0] else 1
            words = f"{pair.sides[side]} ({found[side][number]}, not {expected[side]})"
            note(Symptom.WRONG_LANGUAGE, pair.line, words)


def _sides(pairs: list[SampledPair]) -> tuple[list[str], list[str]]:
    return [pair.source for pair in pairs], [pair.target for pair in pairs]


def _sure(guess: tuple[str, float]) -> str:
    """Return the language, or nothing where the model is not sure."""
    return guess[0] if guess[1] >= CONFIDENT else ""


def _usual(found: list[str]) -> str:
    counts = Counter(language for language in found if language)
    if counts.total() < FEWEST_LINES:
        return ""
    language, count = counts.most_common(1)[0]
    return language if count >= COMMON * counts.total() else ""


def _told(name: str, known: list[str]) -> str:
    code = plain(name).split("-")[0]
    return code if code in known else ""


def _changed_places(usual: list[str], told: list[str]) -> bool:
    return _odd(told[0], told[1]) and usual == [told[1], told[0]]


def _odd(found: str, expected: str) -> bool:
    if not found or not expected or found == expected:
        return False
    return not any({found, expected} <= {*group.split()} for group in ALIKE)


def recognize(pairs: list[Pair]) -> tuple[str, str]:
    """Return the language code of each side; empty where most of it is not of one language."""
    model = identifier()
    source, target = (
        _usual([_sure(model.classify(text[:LONGEST])) for text in side])
        for side in zip(*pairs, strict=True)
    )
    return source, target
