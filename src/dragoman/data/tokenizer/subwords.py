"""Subword tokenizers: any Unicode text goes in and comes back (NFC).

A text is composed (NFC) and split at its spaces. Each word, with ▁ before it where a space stood or
the text begins, is cut into subwords; how, is the affair of each kind. Words that were cut before
are remembered.
"""

from abc import abstractmethod
from collections.abc import Sequence

from dragoman.data.tokenizer.escape import escape, normalize, unescape
from dragoman.data.tokenizer.special_tokens import FIXED, PLACEHOLDER, PLACEHOLDER_IDS, SPACE
from dragoman.data.tokenizer.tokenizer import Ids, Tokenizer, byte_table

REMEMBERED = 200_000
"""Words whose subwords are remembered, about 40 MB; then remembering begins anew."""

MEMORABLE = 40
"""Characters of the longest word that is remembered."""


class SubwordTokenizer(Tokenizer):
    """Subwords of words; what has no subword is spelled in bytes."""

    def __init__(self, learned: Sequence[str]) -> None:
        super().__init__(learned)
        self._bytes = byte_table([*FIXED, *map(self._spelled, learned)])
        self._remembered: dict[str, list[int]] = {}

    def encode(self, text: str) -> list[int]:
        """Return the numbers of a text, without START and END; an empty text has none."""
        if not text:
            return []
        ids: list[int] = []
        parts = PLACEHOLDER.split(escape(normalize(text)))  # text, placeholder, text, ...
        for place, part in enumerate(parts):
            if place % 2:
                ids.append(PLACEHOLDER_IDS[part])
                continue
            first, *others = part.split(" ")
            if place == 0:
                ids += self._word(SPACE + first)
            elif first:
                ids += self._word(first)
            for word in others:
                ids += self._word(SPACE + word)
        return ids

    def decode(self, ids: Ids) -> str:
        """Return the text of any numbers; bytes that are not UTF-8 become U+FFFD."""
        table = self._bytes
        text = b"".join([table[number] for number in self._known(ids)]).decode("utf-8", "replace")
        return unescape(text.removeprefix(SPACE).replace(SPACE, " "))

    @abstractmethod
    def _cut(self, word: str) -> list[int]:
        """Cut a word, which has ▁ before it unless it goes on after a placeholder."""

    def _spelled(self, piece: str) -> str:
        """Return what a learned subword adds to a text, with ▁ for a space."""
        return piece

    def _word(self, word: str) -> list[int]:
        ids = self._remembered.get(word)
        if ids is None:
            ids = self._cut(word)
            if len(word) <= MEMORABLE:
                if len(self._remembered) >= REMEMBERED:
                    self._remembered.clear()
                self._remembered[word] = ids
        return ids
