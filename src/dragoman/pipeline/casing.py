"""LOUD TEXT and Titles Like This, read as the training text writes its words.

Networks have seen few words in capitals. A text that is written so is translated with each word as
training mostly had it, and the translation is written in the manner of the source, where its script
has capitals.
"""

import re
from collections import Counter
from collections.abc import Mapping
from enum import Enum

from dragoman.data.batching.augmentation import titled
from dragoman.data.formats.protected_spans import split_protected

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
FEWEST_LOUD, FEWEST_TITLED = 2, 3
"""Words that make a text loud or a title; fewer may be the name of something."""


class CasingStyle(Enum):
    """The letter case of a text."""

    PLAIN = "plain"
    LOUD = "loud"
    TITLED = "titled"


class Casing:
    """Knows how training writes each word."""

    def __init__(self, words: Mapping[str, int]) -> None:
        ways: dict[str, Counter[str]] = {}
        for word, count in words.items():
            ways.setdefault(word.casefold(), Counter())[word] += count
        self.usual = {folded: way.most_common(1)[0][0] for folded, way in ways.items()}

    def voice(self, text: str) -> CasingStyle:
        """Say how a text is written."""
        words = [word for part in split_protected(text)[::2] for word in WORD.findall(part)]
        if sum(len(word) > 1 for word in words) >= FEWEST_LOUD and all(map(_loud, words)):
            return CasingStyle.LOUD
        changed = sum(self._usual(word) != word for word in words[1:])
        title = len(words) >= FEWEST_TITLED and all(word[0].isupper() for word in words)
        return CasingStyle.TITLED if title and 2 * changed > len(words) - 1 else CasingStyle.PLAIN

    def quiet(self, text: str) -> str:
        """Write a text as a sentence of the training text; what programs put there stays."""
        parts = split_protected(text)
        parts[::2] = [WORD.sub(lambda found: self._usual(found.group()), p) for p in parts[::2]]
        first = WORD.search(parts[0])
        if first:
            place = first.start()
            parts[0] = parts[0][:place] + parts[0][place].upper() + parts[0][place + 1 :]
        return "".join(parts)

    def _usual(self, word: str) -> str:
        return self.usual.get(word.casefold(), word.lower())


def apply_casing(text: str, voice: CasingStyle) -> str:
    """Write a translation in the manner of its source; what programs put there stays."""
    if voice is CasingStyle.TITLED:
        return titled(text)
    if voice is CasingStyle.LOUD:
        parts = split_protected(text)
        parts[::2] = [part.upper() for part in parts[::2]]
        return "".join(parts)
    return text


def _loud(word: str) -> bool:
    return word == word.upper() and word != word.lower()
