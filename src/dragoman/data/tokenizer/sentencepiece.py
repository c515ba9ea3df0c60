"""A byte-pair vocabulary as a SentencePiece model, for programs that read those.

The file is a protocol buffer with few fields, written here by hand: no package is needed.
Field numbers are those of sentencepiece_model.proto. The model splits composed (NFC) text exactly
as `BpeTokenizer.encode` does. It takes a literal ▁ for a space, as SentencePiece always does;
`escape` the text first to keep it.
"""

import struct

from dragoman.core.errors import DataError
from dragoman.data.tokenizer.bpe import BpeTokenizer
from dragoman.data.tokenizer.special_tokens import (
    END,
    FIRST_BYTE,
    FIRST_PIECE,
    FIRST_PLACEHOLDER,
    PAD,
    SPECIALS,
    START,
    UNKNOWN,
)
from dragoman.data.tokenizer.tokenizer import Tokenizer

NORMAL, UNKNOWN_PIECE, CONTROL, USER_DEFINED, BYTE = 1, 2, 3, 4, 6
BPE = 2


def to_sentencepiece(tokenizer: Tokenizer) -> bytes:
    """Return the model file: same numbers, same segmentation."""
    if not isinstance(tokenizer, BpeTokenizer):
        raise DataError(
            f"a vocabulary of {tokenizer.kind} cannot be a SentencePiece model. "
            "Train with tokenizer.kind=bpe."
        )
    pieces = b"".join(
        _field(1, _piece(number, piece)) for number, piece in enumerate(tokenizer.pieces)
    )
    return pieces + _field(2, _trainer(tokenizer.size)) + _field(3, _normalizer())


def _piece(number: int, piece: str) -> bytes:
    learned = number >= FIRST_PIECE
    score = struct.pack("<f", float(FIRST_PIECE - number) if learned else 0.0)
    return _field(1, piece.encode("utf-8")) + b"\x15" + score + _number(3, _type(number))


def _type(number: int) -> int:
    if number == UNKNOWN:
        return UNKNOWN_PIECE
    for first, kind in (
        (FIRST_PIECE, NORMAL),
        (FIRST_BYTE, BYTE),
        (FIRST_PLACEHOLDER, USER_DEFINED),
    ):
        if number >= first:
            return kind
    return CONTROL


def _trainer(size: int) -> bytes:
    numbers = {3: BPE, 4: size, 35: True, 40: UNKNOWN, 41: START, 42: END, 43: PAD}
    names = {45: UNKNOWN, 46: START, 47: END, 48: PAD}
    return b"".join(_number(key, value) for key, value in numbers.items()) + b"".join(
        _field(key, SPECIALS[number].encode()) for key, number in names.items()
    )


def _normalizer() -> bytes:
    """Leave the text alone, but for ▁ in front and ▁ for each space."""
    return _field(1, b"identity") + _number(3, True) + _number(4, False) + _number(5, True)


def _field(key: int, content: bytes) -> bytes:
    return _varint(key << 3 | 2) + _varint(len(content)) + content


def _number(key: int, value: int) -> bytes:
    return _varint(key << 3) + _varint(int(value))


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])
