"""Byte-pair subwords with byte fallback: any Unicode text goes in and comes back (up to NFC).

A text is composed (NFC), split at its spaces, and each word, with ▁ before it for the space, is
cut into subwords by the library. Characters the vocabulary does not hold are spelled in bytes.

The subwords alone, in their order, define the segmentation: any two neighbours that together are a
subword may be joined. That is SentencePiece's rule, so a vocabulary can be handed on as one of its
models. The library ranks pairs and not subwords, so it is given every way to join each subword.
Those never compete: when a subword comes up, all earlier joins are done, and wherever its
characters stand apart they stand apart at the same place. `segment` is the same procedure, written
out; it cuts words anew for BPE dropout, because the library's own chance cannot be seeded.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers.models import BPE

from dragoman.core.errors import DataError
from dragoman.data.tokenizer.escape import MARK
from dragoman.data.tokenizer.library import explain_panics, hold_back_errors
from dragoman.data.tokenizer.merges import segment
from dragoman.data.tokenizer.special_tokens import FIRST_PIECE, SPACE, SPECIALS, UNKNOWN
from dragoman.data.tokenizer.subwords import SubwordTokenizer
from dragoman.data.tokenizer.tokenizer import byte_ids

LONGEST_WORD = 2000
"""Characters cut into subwords at once; a longer word is taken in parts of this length, which keeps
the time proportional to the text. SentencePiece may join across such a seam; nothing else differs.
"""


class BpeTokenizer(SubwordTokenizer):
    """Subwords of words in the order in which they were learned, which is also their rank."""

    kind = "bpe"
    longest_piece = 32

    def __init__(self, learned: Sequence[str]) -> None:
        super().__init__(learned)
        with explain_panics(), hold_back_errors():
            self._library = BPE(
                vocab={piece: number for number, piece in enumerate(self.pieces)},
                merges=all_joins(self.ids),
                byte_fallback=True,
                unk_token=SPECIALS[UNKNOWN],
            )

    def resegment(
        self, ids: NDArray[np.integer[Any]], dropout: float, random: np.random.Generator
    ) -> list[int]:
        """Cut the words of an encoded text anew, each join left out with a chance of `dropout`."""
        new: list[int] = []
        word: list[str] = []
        for number in self._known(ids):
            piece = self.pieces[number]
            if number < FIRST_PIECE or piece[0] == SPACE:
                new += self._cut_anew("".join(word), dropout, random)
                word.clear()
            if number < FIRST_PIECE:
                new.append(number)
            else:
                word.append(piece)
        return new + self._cut_anew("".join(word), dropout, random)

    def _cut(self, word: str) -> list[int]:
        ids: list[int] = []
        with explain_panics():
            for begin in range(0, len(word), LONGEST_WORD):
                part = self._library.tokenize(word[begin : begin + LONGEST_WORD])
                ids += [token.id for token in part]
        return ids

    def _cut_anew(self, word: str, dropout: float, random: np.random.Generator) -> list[int]:
        ids: list[int] = []
        for piece in segment(word, self.ids, dropout, random):
            number = self.ids.get(piece)
            ids += byte_ids(piece) if number is None else (number,)
        return ids

    def _check(self, learned: Sequence[str]) -> None:
        super()._check(learned)
        alphabet = {piece for piece in learned if len(piece) == 1}
        for piece in learned:
            if SPACE in piece[1:] or MARK in piece or not alphabet.issuperset(piece):
                raise DataError(f"the vocabulary holds an impossible piece: {piece[:40]!r}.")


def all_joins(ids: Mapping[str, int]) -> list[tuple[str, str]]:
    """List every way to join each subword from two others, best subword first."""
    return [
        (piece[:at], piece[at:])
        for piece in ids
        for at in range(1, len(piece))
        if piece[:at] in ids and piece[at:] in ids
    ]
