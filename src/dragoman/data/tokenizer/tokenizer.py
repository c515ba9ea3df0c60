"""A tokenizer: text of one language to numbers and back."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dragoman.core.errors import DataError
from dragoman.data.tokenizer.special_tokens import (
    END,
    FIRST_BYTE,
    FIRST_PIECE,
    FIXED,
    PAD,
    SPACE,
    START,
    UNKNOWN,
)

LARGEST = 1_000_000
"""Entries of the largest vocabulary that is accepted."""

SILENT = frozenset((PAD, START, END))
Ids = Iterable[int] | NDArray[np.integer[Any]]


class Tokenizer(ABC):
    """Text to numbers and back: the special tokens first, then what was learned."""

    kind: ClassVar[str]
    longest_piece: ClassVar[int]
    """Characters of the longest token that is accepted."""

    pad: int | None = PAD
    unknown: int | None = UNKNOWN
    start: int | None = START
    end: int | None = END
    mask: int | None = None
    """Numbers that are no text; an imported vocabulary has its own, or lacks some."""

    newline: int = FIRST_BYTE + 10
    """What stands between two lines of a text."""

    def __init__(self, learned: Sequence[str]) -> None:
        self._check(learned)
        self.pieces: list[str] = [*FIXED, *learned]
        self.ids = {piece: number for number, piece in enumerate(learned, FIRST_PIECE)}

    @property
    def size(self) -> int:
        """Number of tokens, the fixed symbols included."""
        return len(self.pieces)

    @property
    def learned(self) -> list[str]:
        """The learned tokens after the special ones, in order."""
        return self.pieces[FIRST_PIECE:]

    @abstractmethod
    def encode(self, text: str) -> list[int]:
        """Return the numbers of a text, without START and END."""

    @abstractmethod
    def decode(self, ids: Ids) -> str:
        """Return the text of any numbers; padding, START and END say nothing."""

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """Encode several texts."""
        return [self.encode(text) for text in texts]

    def words(self, ids: Ids) -> list[str]:
        """Return the token of each number, for people to look at."""
        return [self.pieces[number] for number in self._known(ids)]

    def begins_word(self, number: int) -> bool:
        """Whether the text of a token begins a word, as spaces part them."""
        return self.pieces[number].startswith(SPACE)

    def unknown_rate(self, ids: Ids) -> float:
        """Return the share of UNKNOWN among the numbers."""
        numbers = self._known(ids)
        return sum(n == self.unknown for n in numbers) / len(numbers) if numbers else 0.0

    def resegment(
        self, ids: NDArray[np.integer[Any]], dropout: float, random: np.random.Generator
    ) -> list[int]:
        """Cut the same text into other subwords, where the kind of vocabulary knows others."""
        return [int(number) for number in ids]

    def _known(self, ids: Ids) -> list[int]:
        """Whatever a network puts out becomes a number of this vocabulary."""
        return [n if 0 <= (n := int(number)) < self.size else UNKNOWN for number in ids]

    def _check(self, learned: Sequence[str]) -> None:
        """Refuse tokens that could not have been learned: files may come from anywhere."""
        if len(learned) + FIRST_PIECE > LARGEST:
            raise DataError(f"a vocabulary of {len(learned):,} entries; {LARGEST:,} is the most.")
        if len(set(learned)) != len(learned) or not set(FIXED).isdisjoint(learned):
            raise DataError("the vocabulary names an entry twice.")
        for piece in learned:
            if not 0 < len(piece) <= self.longest_piece or " " in piece or _is_broken(piece):
                raise DataError(f"the vocabulary holds an impossible entry: {piece[:40]!r}.")


def _is_broken(piece: str) -> bool:
    return not piece.isascii() and any("\ud800" <= character <= "\udfff" for character in piece)


def byte_ids(text: str) -> list[int]:
    """Spell a text in byte symbols."""
    return [FIRST_BYTE + byte for byte in text.encode("utf-8")]


def byte_table(pieces: Sequence[str]) -> list[bytes]:
    """Return what each number adds to a text, as UTF-8."""
    table = [piece.encode("utf-8") for piece in pieces]
    for number in SILENT:
        table[number] = b""
    for byte in range(256):
        table[FIRST_BYTE + byte] = bytes([byte])
    return table
