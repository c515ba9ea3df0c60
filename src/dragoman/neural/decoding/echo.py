"""Echoes inside a word: letters that come again although they are cut into other tokens.

    Hell|ello      ell ell        cuatro|atro     atro atro

What a word may not go on with follows from its letters so far: where they end in the first of two
equal stretches, and perhaps in the beginning of the second, no token may complete the second.
"""

from collections.abc import Sequence, Set

WINDOW = 4
"""Tokens of the current word that are looked at."""

SHORTEST, LONGEST = 3, 12
"""Letters of a stretch that may not come twice in a row: "papa" and "banana" may."""

REMEMBERED = 100_000
"""Endings of words whose echoes are remembered; then remembering begins anew."""


class WordEchoes:
    """The tokens that would make the current word say the same letters twice in a row."""

    def __init__(
        self, first: Sequence[str], again: Sequence[str], space: str, licensed: Set[str]
    ) -> None:
        self.first, self.again, self.space = first, again, space
        """The letters of each token, after `space` where it begins a word; nothing where marks
        stand after them (`first`) or before them (`again`), so that nothing is said on or again."""
        self.licensed = licensed
        """Stretches of letters that words of the language double."""
        self._starting: dict[str, list[int]] = {}
        for token, text in enumerate(again):
            for end in range(1, min(len(text), LONGEST) + 1):
                self._starting.setdefault(text[:end], []).append(token)
        self._remembered: dict[tuple[int, ...], tuple[int, ...]] = {}

    def narrow(self, kept: Sequence[int]) -> "WordEchoes":
        """Return the echoes among some tokens, which are numbered anew."""
        first, again = ([side[token] for token in kept] for side in (self.first, self.again))
        return WordEchoes(first, again, self.space, self.licensed)

    def after(self, tokens: Sequence[int]) -> tuple[int, ...]:
        """Return the tokens that may not follow the last ones of a prefix."""
        key = (*tokens,)
        found = self._remembered.get(key)
        if found is None:
            if len(self._remembered) >= REMEMBERED:
                self._remembered.clear()
            found = self._remembered[key] = (*self._find(self._word(key)),)
        return found

    def _word(self, tokens: Sequence[int]) -> str:
        """Return the letters of the word that the tokens end in."""
        word = ""
        for token in reversed(tokens):
            text = self.first[token] if token >= 0 else ""
            word = text + word
            if not text or text.startswith(self.space):
                break
        return word.removeprefix(self.space)

    def _find(self, word: str) -> set[int]:
        found: set[int] = set()
        for size in range(SHORTEST, min(LONGEST, len(word)) + 1):
            again = 0  # letters of the second stretch that are there already
            while (
                again < size
                and again + size < len(word)
                and word[-again - 1] == (word[-again - 1 - size])
            ):
                again += 1
            end = len(word) - again
            stretch = word[end - size : end]
            if again < size and stretch not in self.licensed:
                found.update(self._starting.get(stretch[again:], ()))
        return found
