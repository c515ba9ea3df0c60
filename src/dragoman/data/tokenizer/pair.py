"""The tokenizers of a translator's two sides, and the file they are kept in."""

import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from dragoman.core.checksums import read_checked, write_checked
from dragoman.core.errors import DataError
from dragoman.data.formats.placeholders import split_tags
from dragoman.data.tokenizer.bpe import BpeTokenizer
from dragoman.data.tokenizer.characters import CharacterTokenizer
from dragoman.data.tokenizer.imported import ImportedTokenizer, SpecialTokenNames
from dragoman.data.tokenizer.sentence_pieces import SentencePieceTokenizer
from dragoman.data.tokenizer.special_tokens import PLACEHOLDER_IDS
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.data.tokenizer.wordpiece import WordPieceTokenizer
from dragoman.data.tokenizer.words import WordTokenizer

FORMAT, VERSION = "dragoman-tokenizer", 1
LARGEST_FILE = 128 * 1024 * 1024
KINDS: dict[str, type[Tokenizer]] = {
    kind.kind: kind
    for kind in (BpeTokenizer, WordPieceTokenizer, WordTokenizer, CharacterTokenizer)
}


class TokenizerPair:
    """The tokenizers of source and target, which may be one."""

    def __init__(
        self, source: Tokenizer, target: Tokenizer, findings: list[str] | None = None
    ) -> None:
        self.source = source
        self.target = target
        self.findings = findings or []
        """What training has to report, in plain words; not stored."""

    @property
    def shared(self) -> bool:
        """Whether both sides have one vocabulary, so that embeddings can be tied."""
        return self.source is self.target

    @property
    def numbered_alike(self) -> bool:
        """Whether a number means the same on both sides, even if each cuts text in its own way."""
        return self.shared or self.source.pieces == self.target.pieces

    def encode_source(self, text: str) -> list[int]:
        """Return the numbers of a source: one for each tag before it, then its own as if alone."""
        if isinstance(self.source, ImportedTokenizer | SentencePieceTokenizer):
            return self.source.encode(text)  # which has no tokens for tags
        tags, rest = split_tags(text)
        return [*(PLACEHOLDER_IDS[tag] for tag in tags.split()), *self.source.encode(rest)]

    def save(self, path: Path) -> None:
        """Write both sides to one file, in one step."""
        sides = [self.source] if self.shared else [self.source, self.target]
        record = {
            "format": FORMAT,
            "version": VERSION,
            "shared": self.shared,
            "sides": [_record(side) for side in sides],
        }
        write_checked(path, json.dumps(record, ensure_ascii=False, indent=0) + "\n")

    @classmethod
    def load(cls, path: Path) -> "TokenizerPair":
        """Read tokenizers; a file that is damaged or made to do harm gives a DataError."""
        try:
            sides = _sides(json.loads(read_checked(path, LARGEST_FILE)))
        except (OSError, ValueError, RecursionError, DataError) as error:
            raise DataError(
                f"{path}: not a tokenizer that can be read ({error}). "
                "Take it from the run folder again, or train anew."
            ) from error
        return cls(sides[0], sides[-1])


def _sides(record: Any) -> list[Tokenizer]:
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise DataError(f"its format is not {FORMAT!r}")
    if record.get("version") != VERSION:
        raise DataError(f"version {record.get('version')!r}, where {VERSION} is known")
    sides = record.get("sides")
    expected = 1 if record.get("shared") is True else 2
    if not isinstance(sides, list) or len(sides) != expected:
        raise DataError("it does not hold the vocabularies it speaks of")
    return [_side(side) for side in sides]


def _record(side: Tokenizer) -> dict[str, Any]:
    if isinstance(side, ImportedTokenizer):
        return {"kind": side.kind, "file": side.text, "marks": asdict(side.special_tokens)}
    if isinstance(side, SentencePieceTokenizer):
        return side.record()
    return {"kind": side.kind, "learned": side.learned}


def _side(side: Any) -> Tokenizer:
    kind = side.get("kind") if isinstance(side, dict) else None
    if kind == ImportedTokenizer.kind:
        return _imported(side.get("file"), side.get("marks"))
    if kind == SentencePieceTokenizer.kind:
        return SentencePieceTokenizer.from_record(side)
    if not isinstance(kind, str) or kind not in KINDS:
        known = ", ".join((*KINDS, "imported", "sentencepiece"))
        raise DataError(f"a vocabulary of kind {kind!r}. Known: {known}")
    learned = side.get("learned")
    if not isinstance(learned, list) or not all(isinstance(piece, str) for piece in learned):
        raise DataError("the entries of a vocabulary must be a list of strings")
    return KINDS[kind](learned)


def _imported(text: Any, stored: Any) -> Tokenizer:
    names = {field.name for field in fields(SpecialTokenNames)}
    if not isinstance(text, str) or not isinstance(stored, dict) or stored.keys() != names:
        raise DataError("an imported vocabulary must hold a file and its marks")
    if not all(mark is None or isinstance(mark, str) for mark in stored.values()):
        raise DataError("the marks of an imported vocabulary must be strings")
    return ImportedTokenizer(text, SpecialTokenNames(**stored))
