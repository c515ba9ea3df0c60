"""The files in which OPUS-MT models bring their vocabularies.

source.spm, target.spm    SentencePiece models, which cut either side
vocab.json                the number of each subword, of both sides together
target_vocab.json         those of the target, where it has a vocabulary of its own
"""

import json
from dataclasses import dataclass
from pathlib import Path

from dragoman.core.bounded_read import read_bounded
from dragoman.core.errors import DataError
from dragoman.data.tokenizer.renumber import Order
from dragoman.data.tokenizer.sentence_pieces import (
    LONGEST_MODEL,
    SentencePieceTokenizer,
    load_model,
)

SOURCE, TARGET, NUMBERS, TARGET_NUMBERS = (
    *("source.spm", "target.spm"),
    *("vocab.json", "target_vocab.json"),
)
UNKNOWN_NAME = "<unk>"


@dataclass(frozen=True)
class OpusSide:
    """One side of such a model, under its own numbers."""

    model: bytes
    names: list[str]

    @property
    def unknown(self) -> int | None:
        """The number of what is unknown."""
        return self.names.index(UNKNOWN_NAME) if UNKNOWN_NAME in self.names else None

    def renumbered(self, order: Order) -> SentencePieceTokenizer:
        """Return the vocabulary with the numbers of an order."""
        return SentencePieceTokenizer(self.model, order.names(self.names))


def has_opus(folder: Path) -> bool:
    """Say whether a folder has such files."""
    return (folder / SOURCE).exists() and (folder / NUMBERS).exists()


def read_opus(folder: Path, rows: int, target_rows: int | None) -> tuple[OpusSide, OpusSide]:
    """Read both sides; numbers of the network that no subword has are given names."""
    names = _names(folder / NUMBERS, rows)
    theirs = names if target_rows is None else _names(folder / TARGET_NUMBERS, target_rows)
    return _side(folder / SOURCE, names), _side(folder / TARGET, theirs)


def _side(path: Path, names: list[str]) -> OpusSide:
    model = _read(path)
    try:
        load_model(model)
    except DataError as error:
        raise DataError(f"{path}: {error}") from None
    return OpusSide(model, names)


def _names(path: Path, rows: int) -> list[str]:
    try:
        numbers = json.loads(_read(path))
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: not JSON ({error}). Take it from its model again.") from None
    if not isinstance(numbers, dict) or not all(type(n) is int for n in numbers.values()):
        raise DataError(f"{path}: not a JSON file of pieces and numbers.")
    if wrong := [n for n in numbers.values() if not 0 <= n < rows]:
        raise DataError(
            f"{path}: has the number {wrong[0]:,}, but the network only {rows:,} entries. "
            "Take both from the same model."
        )
    names = [f"<unused {n}>" for n in range(rows)]
    for piece, number in numbers.items():
        names[number] = piece
    return names


def _read(path: Path) -> bytes:
    try:
        return read_bounded(path, LONGEST_MODEL)
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}).") from error
