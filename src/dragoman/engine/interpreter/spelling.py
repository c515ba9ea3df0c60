"""Slips of the finger, taken back where it is plain what was meant.

A word that training never saw, one slip away from words it saw often, becomes the one it saw most:
two letters swapped, one too many, one missing, one wrong. The first letter stands, as people seldom
miss it. Short words, names (with a capital inside a sentence) and what programs put into a text are
left alone.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from dragoman.data.formats.protected import parted

WORD = re.compile(r"[^\W\d_]{4,24}")
LETTERS = re.compile(r"[^\W\d_]+")
OFTEN = 3
"""Times that training must have seen a word to be what was meant."""

MOST = 40_000
"""Sentences whose words are counted, which takes about a second."""


def counted(texts: Iterable[str]) -> Counter[str]:
    """Count the words of sentences as they are written."""
    words: Counter[str] = Counter()
    for text in texts:
        words.update(LETTERS.findall(text))
    return words


class Speller:
    """Knows the words of a corpus."""

    def __init__(self, words: Mapping[str, int]) -> None:
        folded: Counter[str] = Counter()
        for word, count in words.items():
            folded[word.casefold()] += count
        self.words = folded
        often = [word for word, count in folded.items() if count >= OFTEN]
        self.letters = "".join(sorted(set("".join(often))))
        self.often = frozenset(often)

    def __call__(self, text: str) -> str:
        """Return a sentence with its slips taken back."""
        parts = parted(text)
        parts[::2] = [WORD.sub(self._meant, part) for part in parts[::2]]
        return "".join(parts)

    def _meant(self, found: re.Match[str]) -> str:
        word, part = found.group(), found.string
        beside = (
            part[max(0, found.start() - 1) : found.start()] + part[found.end() : found.end() + 1]
        )
        name = found.start() > 0 and not word.islower()
        if name or word.casefold() in self.words or any(map(str.isalnum, beside)) or "_" in beside:
            return word
        near = {one for one in self._near(word.casefold()) if one in self.often}
        if not near:
            return word
        best = max(near, key=lambda one: (self.words[one], one))
        return best.capitalize() if word[0].isupper() else best

    def _near(self, word: str) -> Iterator[str]:
        """Yield what is one slip away, the first letter kept."""
        for place in range(1, len(word) + 1):
            head, tail = word[:place], word[place:]
            yield head + tail[1:]
            if len(tail) > 1:
                yield head + tail[1] + tail[0] + tail[2:]
            for letter in self.letters:
                yield head + letter + tail
                if tail:
                    yield head + letter + tail[1:]
