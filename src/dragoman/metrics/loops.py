"""Repetition loops: a phrase that stands in a row more often than anybody would write it.

    so so so so so                 one word, 4 times or more
    in the house in the house in the house        a phrase of 2 to 5 words, 3 times or more
    a phrase of 6 words or more, twice
    很好很好很好                     where words have no spaces, each character counts as a word
    hahahahaha, .......            inside a word: 2 characters or more 4 times, one 6 times

A text may repeat what its source repeats: as often as the source does, and once more, for one
language says "ha ha ha" where another says "ja, ja, ja, ja". Words are compared without capitals
and the marks around them. Phrases of up to 64 words, and of 16 characters inside a word, are looked
for, each size by one pass over the text, so that the time is linear in its length.
"""

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from dragoman.core.unspaced import is_unspaced

LONGEST_WORDS, LONGEST_CHARACTERS = 64, 16
"""Sizes of the longest phrases that are looked for: in words, and in characters inside a word."""

BETWEEN = " ,;:-–—、，"
"""What joins a phrase to the next and means nothing at the end."""

Numbers = NDArray[np.int64]
Run = tuple[int, int, int]
"""Where a phrase begins, how many units it has and how often it stands in a row."""


@dataclass(frozen=True, slots=True)
class Loop:
    """A phrase that stands in a row too often."""

    phrase: str
    times: int
    start: int
    """Where it first begins, in characters of the text."""

    second: int
    """Where it begins for the second time."""

    end: int
    """Where its last whole repetition ends."""


def loop(text: str, source: str = "") -> Loop | None:
    """Return the loop of a text that is first to repeat itself beyond its source, or None."""
    units = _units(text)
    numbers, characters = _numbered([word for word, _, _ in units]), _characters(text)
    # Most texts repeat nothing, and then it does not matter what the source repeats.
    if not any(_runs(numbers, characters, 1, 1)):
        return None
    words, inside = _runs(numbers, characters, *_repeats(source))
    found = [_placed(text, run, lambda at: units[at][1:]) for run in words]
    found += [_placed(text, run, lambda at: (at, at + 1)) for run in inside]
    return min(found, key=lambda one: (one.second, one.end), default=None)


def cut(text: str, source: str = "") -> str:
    """Return a text without loops: it ends where the first of them begins to repeat itself.

    The mark at the end of the text stays.
    """
    kept = text
    while found := loop(kept, source):  # what is left of a word may make another
        kept = kept[: found.second].rstrip(BETWEEN) or kept[: found.second]
    last = text[-1:]
    if kept == text or not _is_mark(last) or kept.endswith(last):
        return kept
    return kept + last if loop(kept + last, source) is None else kept


def _runs(
    words: Numbers, characters: Numbers, spoken: int, written: int
) -> tuple[list[Run], list[Run]]:
    """Return what words and what characters repeat too often, beside a source that repeats, too."""
    return (
        list(_first_runs(words, LONGEST_WORDS, _word_limit, spoken)),
        list(_first_runs(characters, LONGEST_CHARACTERS, _character_limit, written)),
    )


def _word_limit(size: int) -> int:
    """Return how often a phrase of words must stand in a row to be a loop."""
    return 4 if size == 1 else 3 if size < 6 else 2


def _character_limit(size: int) -> int:
    """Return how often characters must stand in a row inside a word to be a loop."""
    return 6 if size == 1 else 4


def _repeats(source: str) -> tuple[int, int]:
    """Return how often anything stands in a row in a source: what is spoken, and all characters.

    Letters inside a word count as spoken from three on, for any word may have two.
    """
    words = _most(_numbered([word for word, _, _ in _units(source)]), LONGEST_WORDS)
    letters = _most(_characters(source, marks=False), LONGEST_CHARACTERS)
    spoken = max(words, letters if letters > 2 else 1)
    return spoken, max(spoken, _most(_characters(source), LONGEST_CHARACTERS))


def _units(text: str) -> list[tuple[str, int, int]]:
    """Return words without capitals and the marks around them, and where each begins and ends.

    What is written without spaces gives its characters; what has no letter and no digit is left
    out.
    """
    found: list[tuple[str, int, int]] = []
    place = 0
    for blank, group in groupby(text, key=str.isspace):
        word = "".join(group)
        if not blank:
            found += _of_word(word, place)
        place += len(word)
    return found


def _of_word(word: str, place: int) -> Iterator[tuple[str, int, int]]:
    """Return the units of what stands between two spaces."""
    if any(map(is_unspaced, word)):
        for at, character in enumerate(word, place):
            if not _is_mark(character):
                yield character, at, at + 1
        return
    inside = [at for at, character in enumerate(word) if not _is_mark(character)]
    if inside:
        yield word[inside[0] : inside[-1] + 1].casefold(), place, place + len(word)


def _numbered(words: list[str]) -> Numbers:
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(word, len(numbers)) for word in words], dtype=np.int64)


def _characters(text: str, *, marks: bool = True) -> Numbers:
    """Return the characters as numbers; spaces and digits, which may repeat, are like no other."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.int64)
    apart = (c.isspace() or c.isdigit() or not (marks or c.isalpha()) for c in text)
    alone = np.fromiter(apart, dtype=bool, count=len(text))
    return np.where(alone, -1 - np.arange(len(codes)), codes)


def _first_runs(
    numbers: Numbers, longest: int, limit: Callable[[int], int], source: int
) -> Iterator[Run]:
    """Return, for each size of a phrase, the first stretch that repeats it too often."""
    allowed = source + 1 if source > 1 else 1
    for size in range(1, min(longest, len(numbers) // 2) + 1):
        least = max(limit(size), allowed + 1)
        if np.count_nonzero(numbers[size:] == numbers[:-size]) < (least - 1) * size:
            continue  # however they stand, there are too few
        starts, times = _stretches(numbers, size)
        too_often = np.flatnonzero(times >= least)
        if len(too_often):
            yield int(starts[too_often[0]]), size, int(times[too_often[0]])


def _most(numbers: Numbers, longest: int) -> int:
    """Return how often the phrase that is repeated most stands in a row."""
    sizes = range(1, min(longest, len(numbers) // 2) + 1)
    return max((int(_stretches(numbers, size)[1].max(initial=1)) for size in sizes), default=1)


def _stretches(numbers: Numbers, size: int) -> tuple[Numbers, Numbers]:
    """Return where phrases of a size come again and again, and how often each does.

    Where n units in a row equal those `size` places before them, a phrase stands n / size + 1
    times.
    """
    same = np.zeros(len(numbers) - size + 2, dtype=np.int8)
    same[1:-1] = numbers[size:] == numbers[:-size]
    edges = np.flatnonzero(np.diff(same))
    starts, ends = edges[::2], edges[1::2]
    return starts, (ends - starts) // size + 1


def _placed(text: str, run: Run, place: Callable[[int], tuple[int, int]]) -> Loop:
    begin, size, times = run
    start, second = place(begin)[0], place(begin + size)[0]
    phrase = text[start : place(begin + size - 1)[1]]
    return Loop(phrase, times, start, second, place(begin + size * times - 1)[1])


@lru_cache(maxsize=4096)
def _is_mark(character: str) -> bool:
    """Whether a character is neither a letter nor a digit nor belongs to one."""
    return unicodedata.category(character)[0] not in "LNM" if character else False
