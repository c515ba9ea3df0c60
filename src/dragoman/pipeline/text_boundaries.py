"""Text boundaries that no mark shows: rows of labels and headings.

    Open the selected file Color balance Cannot save %s      three texts, not one

A large letter alone says little: labels are full of them. Training knows which words its texts
begin and end with, and which stand side by side inside them. Odds of a seam, by Bayes' rule with
both words taken to speak independently:

    (texts that begin with the word after) / (times it stands inside)
    × (texts that end with the word before) / (times it stands elsewhere)
"""

import math
import re
from collections import Counter
from collections.abc import Iterable

LETTERS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
LEAST = -1.5
"""Log odds that make a seam. Chosen on validation pairs in rows: with it four seams of five are
found, and four of five that are found are such."""

UNSEEN = 0.5
"""What is added to each count."""


class Seams:
    """Knows how the texts of a corpus begin and end."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._first, self._inside = Counter[str](), Counter[str]()
        self._last, self._all = Counter[str](), Counter[str]()
        self._beside = set[tuple[str, str]]()
        for text in texts:
            words = [_core(word) for word in text.split()]
            small = [word.lower() for word in words]
            self._first.update(words[:1])
            self._inside.update(word for word in words[1:] if word[:1].isupper())
            self._last.update(small[-1:])
            self._all.update(small)
            self._beside.update(
                both for both in zip(small, words[1:], strict=False) if both[1][:1].isupper()
            )

    def __call__(self, before: str, after: str) -> bool:
        """Say whether a text ends with the word before, and another begins with the one after."""
        last, first = _core(before).lower(), _core(after)
        if not (first[:1].isupper() and self._first[first]) or (last, first) in self._beside:
            return False
        begins = _odds(self._first[first], self._inside[first])
        ends = _odds(self._last[last], self._all[last] - self._last[last])
        return begins + ends >= LEAST


def _core(word: str) -> str:
    found = LETTERS.search(word)
    return found.group() if found else ""


def _odds(times: int, others: int) -> float:
    return math.log((times + UNSEEN) / (others + UNSEEN))
