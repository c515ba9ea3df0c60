"""A vocabulary that came as a SentencePiece model with a list of numbers beside it (OPUS-MT).

The model cuts a text into subwords, the list gives each subword its number, and a subword that is
not in the list is unknown. Target subwords are joined again. A language to write, told as `>>fra<<`
before a source, is one token. The package `sentencepiece` does the cutting.
"""

import base64
import binascii
import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from dragoman.core.errors import DataError
from dragoman.data.tokenizer.escape import normalize
from dragoman.data.tokenizer.library import hold_back_errors
from dragoman.data.tokenizer.special_tokens import SPACE, UNKNOWN
from dragoman.data.tokenizer.tokenizer import LARGEST, SILENT, Ids, Tokenizer

LONGEST_MODEL = 16 * 1024 * 1024
"""Bytes of the largest model that is accepted."""

LANGUAGE = re.compile(">>.*?<<")


class SentencePieceTokenizer(Tokenizer):
    """A SentencePiece model and the numbers of its subwords, the marks first as ever."""

    kind = "sentencepiece"
    longest_piece = 1000

    def __init__(self, model: bytes, pieces: Sequence[str]) -> None:
        self.model = model
        self.pieces = [*pieces]
        self.ids = {piece: number for number, piece in enumerate(self.pieces)}
        if not 4 <= len(self.pieces) <= LARGEST or len(self.ids) != len(self.pieces):
            raise DataError("a list of pieces that names one twice, or has too few or too many.")
        if len(model) > LONGEST_MODEL:
            raise DataError(f"a SentencePiece model of more than {LONGEST_MODEL:,} bytes.")

    @property
    def learned(self) -> list[str]:
        """All tokens, for none of them is fixed."""
        return self.pieces

    def encode(self, text: str) -> list[int]:
        """Return the numbers of a text, without START and END."""
        normalize(text)  # only to refuse what is not Unicode text: the model has rules of its own
        told = LANGUAGE.match(text)
        first, rest = ([told[0]], text[told.end() :]) if told else ([], text)
        with hold_back_errors():
            pieces = [*first, *self._processor.encode(rest, out_type=str)]
        return [self.ids.get(piece, UNKNOWN) for piece in pieces]

    def decode(self, ids: Ids) -> str:
        """Return the text of any numbers; padding, START and END say nothing."""
        said = (self.pieces[n] for n in self._known(ids) if n not in SILENT)
        return "".join(said).replace(SPACE, " ").strip()

    def record(self) -> dict[str, Any]:
        """Return what is stored of it."""
        stored = base64.b64encode(self.model).decode("ascii")
        return {"kind": self.kind, "model": stored, "learned": self.pieces}

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> "SentencePieceTokenizer":
        """Make it of what was stored."""
        model, pieces = record.get("model"), record.get("learned")
        if not isinstance(pieces, list) or not all(isinstance(piece, str) for piece in pieces):
            raise DataError("the entries of a vocabulary must be a list of strings")
        try:
            return cls(base64.b64decode(str(model), validate=True), pieces)
        except binascii.Error as error:
            raise DataError(f"a SentencePiece model that is none ({error})") from error

    @cached_property
    def _processor(self) -> Any:
        return load_model(self.model)


def load_model(model: bytes) -> Any:
    """Return the processor of a SentencePiece model, which must be able to cut a text."""
    try:
        from sentencepiece import SentencePieceProcessor
    except ImportError:
        raise DataError(
            "this vocabulary is a SentencePiece model, and the package that cuts text with it "
            "is not installed. Install it: pip install 'dragoman[export]'."
        ) from None
    try:
        with hold_back_errors():
            processor = SentencePieceProcessor(model_proto=model)
            processor.encode("a b", out_type=str)
    except (RuntimeError, ValueError, TypeError, LookupError, OSError) as error:
        raise DataError(f"a SentencePiece model that cannot be read ({error}).") from error
    return processor
