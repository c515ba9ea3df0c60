"""Pig Latin: a language made from English by a rule, for learning to translate by letters.

Each part between hyphens is a word. One that begins with a, e, i, o or u takes "way". Any other
moves its first consonants to its end, up to the first vowel or y, with the u of "qu" among them,
and takes "ay": think → inkthay, queen → eenquay, my → ymay, air-lock → airway-ocklay.
"""

from collections.abc import Iterable, Iterator
from itertools import islice, takewhile
from pathlib import Path

from dragoman.core.errors import DataError
from dragoman.data.formats.findings import Findings
from dragoman.data.formats.lines import read_lines
from dragoman.data.formats.pair import Pair

VOWELS = "aeiou"
STOPS = "aeiouy"
SMALL, LARGE = 3_198, 22_402
"""How many words the two sets of the literature have."""


def pig_latin(word: str) -> str:
    """Say a word in lower case in Pig Latin."""
    return "-".join(_turned(part) for part in word.split("-"))


def make_pairs(words: Iterable[str]) -> Iterator[Pair]:
    """Pair each word with its Pig Latin."""
    return (Pair(word, pig_latin(word)) for word in words)


def read_words(path: Path, count: int | None = None) -> list[str]:
    """Read the first words of a list, one on each line, in lower case and each once."""
    lines = read_lines(path, repair=True, findings=Findings())
    words = dict.fromkeys(line.strip().lower() for line in lines if line and line.strip())
    if any("\t" in word for word in words):
        raise DataError(f"{path}: a line has a tab. Give a list with one word on each line.")
    if count is not None and len(words) < count:
        raise DataError(f"{path}: has only {len(words):,} words, not {count:,}. Ask for fewer.")
    return list(islice(words, count))


def _turned(part: str) -> str:
    if not part:
        return part
    if part[0] in VOWELS:
        return part + "way"
    start = len(list(takewhile(lambda letter: letter not in STOPS, part)))
    if part[:start].endswith("q") and part[start:].startswith("u"):
        start += 1
    return part[start:] + part[:start] + "ay"
