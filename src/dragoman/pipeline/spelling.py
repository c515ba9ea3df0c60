"""Slips of the finger, taken back where it is plain what was meant.

A word that training never saw, one slip away from words it saw often, becomes the likeliest: how
often training has it, times how easily the finger slips so. Two letters swapped, one doubled, one
missing or the key beside it are easy slips, any other letter is not. The first letter stands, as
people seldom miss it. Short words and what programs put into a text are left alone; so are names,
that is, words with a capital inside a sentence or all by themselves. In A Label Like This every
word has one, and there a word becomes one that training has often with a capital.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from dragoman.data.batching.augmentation import KEYS
from dragoman.data.formats.protected_spans import split_protected

WORD = re.compile(r"[^\W\d_]{3,24}")
LETTERS = re.compile(r"[^\W\d_]+")
LONG, LONG_IN_LABEL = 4, 5
"""Letters of words that are looked at, and of those with a capital inside a label. A shorter one
may only be a small word that has lost a letter."""

OFTEN = 3
"""Times that training must have seen a word to be what was meant."""

ODD = 0.1
"""How likely any other letter is, beside the easy slips."""

MOST = 40_000
"""Sentences whose words are counted, which takes about a second."""


def count_words(texts: Iterable[str]) -> Counter[str]:
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
        self.with_capital = frozenset(
            word.casefold()
            for word, count in words.items()
            if count >= OFTEN and word == word.capitalize()
        )

    def __call__(self, text: str) -> str:
        """Return a sentence with its slips taken back."""
        parts = split_protected(text)
        words = [word for part in parts[::2] for word in LETTERS.findall(part)]
        long = [word for word in words if len(word) >= LONG]
        label = len(long) > 1 and all(word[0].isupper() for word in long)
        alone = len(words) == 1
        parts[::2] = [
            WORD.sub(lambda found: self._meant(found, label=label, alone=alone), part)
            for part in parts[::2]
        ]
        return "".join(parts)

    def _meant(self, found: re.Match[str], *, label: bool, alone: bool) -> str:
        word, part = found.group(), found.string
        beside = (
            part[max(0, found.start() - 1) : found.start()] + part[found.end() : found.end() + 1]
        )
        if word.casefold() in self.words or any(map(str.isalnum, beside)) or "_" in beside:
            return word
        near: dict[str, float] = {}
        known = self._possible(word, inside=found.start() > 0 or alone, label=label)
        for one, ease in self._near(word.casefold()):
            if one in known and len(one) >= LONG:
                near[one] = max(near.get(one, 0.0), ease)
        if not near:
            return word
        best = max(near, key=lambda one: (self.words[one] * near[one], one))
        if word.isupper():
            return best.upper()
        return best.capitalize() if word[0].isupper() else best

    def _possible(self, word: str, *, inside: bool, label: bool) -> frozenset[str]:
        """Return the words that one may have been meant to be."""
        if inside and not word.islower():
            fits = label and len(word) >= LONG_IN_LABEL and word == word.capitalize()
            return self.with_capital if fits else frozenset()
        return self.often if len(word) >= LONG or word.islower() else frozenset()

    def _near(self, word: str) -> Iterator[tuple[str, float]]:
        """Yield what is one slip away, the first letter kept, and how easy the slip is."""
        for place in range(1, len(word) + 1):
            head, tail = word[:place], word[place:]
            if tail:
                yield head + tail[1:], 1.0 if tail[0] == head[-1] else ODD
            if len(tail) > 1:
                yield head + tail[1] + tail[0] + tail[2:], 1.0
            for letter in self.letters:
                yield head + letter + tail, 1.0
                if tail:
                    yield head + letter + tail[1:], 1.0 if letter in KEYS.get(tail[0], "") else ODD
