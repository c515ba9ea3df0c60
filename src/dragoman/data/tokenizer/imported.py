"""A vocabulary that came with a model from elsewhere: a Hugging Face tokenizer.json as it is.

The file says how text is cleaned, cut and numbered; the `tokenizers` library does what it says. It
holds data and regular expressions but no code, and is read from memory, never from a network. It is
kept word for word inside Dragoman's own tokenizer file, and its numbers stay, for the model learned
them. So nothing here begins with the fixed symbols: `pad`, `unknown`, `start`, `end` and `mask` say
which numbers have those parts, and None stands for a part that nothing has.

What the file says about filling up and cutting off is left out: that is the work of `batching`.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields
from functools import cached_property
from typing import Any

from tokenizers import Tokenizer as Library

from dragoman.core.errors import DataError
from dragoman.data.tokenizer.escape import normalize
from dragoman.data.tokenizer.library import explain_panics, hold_back_errors
from dragoman.data.tokenizer.special_tokens import SPACE
from dragoman.data.tokenizer.tokenizer import LARGEST, Ids, Tokenizer

LONGEST_FILE = 32 * 1024 * 1024
"""Characters of the longest tokenizer.json that is accepted."""

SAMPLE = "A word, 12 words: naïve ｟x｠ 日本 ни\u0301 \U0001f600\n ab\t\x00 aaaa"
"""Letters, digits, marks, spaces, several scripts, and what few vocabularies know."""

BYTE_SPACE = "Ġ"
"""How byte-level subwords, such as those of GPT-2, write a space."""

NEWLINES = ("Ċ", "\n", "<0x0A>")
"""How a newline is written as a subword; a vocabulary without one parts lines with its end mark."""


@dataclass(frozen=True, slots=True)
class SpecialTokenNames:
    """The tokens that are no text, as the file spells them; None where it has no such token."""

    pad: str | None = None
    unknown: str | None = None
    start: str | None = None
    """What goes before a text: [CLS] or <s>."""

    end: str | None = None
    """What goes after it: [SEP] or </s>."""

    mask: str | None = None

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> "SpecialTokenNames":
        """Take them from a tokenizer_config.json or special_tokens_map.json."""

        def named(*keys: str) -> str | None:
            for key in keys:
                mark = settings.get(key)
                mark = mark.get("content") if isinstance(mark, dict) else mark
                if isinstance(mark, str) and mark:
                    return mark
            return None

        return cls(
            pad=named("pad_token"),
            unknown=named("unk_token"),
            start=named("cls_token", "bos_token"),
            end=named("sep_token", "eos_token"),
            mask=named("mask_token"),
        )


USUAL = {
    "pad": ("[PAD]", "<pad>", "<|pad|>", "<|padding|>"),
    "unknown": ("[UNK]", "<unk>"),
    "start": ("[CLS]", "<s>", "<bos>", "<|begin_of_text|>", "<|startoftext|>", "<|endoftext|>"),
    "end": ("[SEP]", "</s>", "<eos>", "<|end_of_text|>", "<|endoftext|>"),
    "mask": ("[MASK]", "<mask>"),
}
"""How marks are spelled in the models of the field; the first that a file has is taken."""


class ImportedTokenizer(Tokenizer):
    """A tokenizer.json with its own numbers."""

    kind = "imported"
    longest_piece = LONGEST_FILE

    def __init__(self, text: str, special_tokens: SpecialTokenNames | None = None) -> None:
        if len(text) > LONGEST_FILE:
            raise DataError(f"a tokenizer.json of {len(text):,}; {LONGEST_FILE:,} is the most.")
        self.text = text
        with hold_back_errors():
            self._library = _library(text, plain=True)
            _try_out(self._library)
        self.ids = self._library.get_vocab(with_added_tokens=True)
        largest = max(self.ids.values(), default=-1)
        if not 0 <= largest < LARGEST:
            raise DataError(
                f"a tokenizer.json whose largest number is {largest:,}, where 0 to {LARGEST - 1:,} "
                "can be. Take it from its model again."
            )
        self.pieces = [""] * (largest + 1)
        for piece, number in self.ids.items():
            self.pieces[number] = piece
        self.special_tokens = special_tokens or self._usual_names()
        self.pad, self.unknown, self.start, self.end, self.mask = map(
            self._number, astuple(self.special_tokens)
        )
        self._silent = frozenset((self.pad, self.start, self.end))
        self.special = frozenset(
            number
            for number, mark in self._library.get_added_tokens_decoder().items()
            if mark.special
        )
        """Every number that is no text, marks without a part of their own included."""
        self.newline = self._first_known(*(self.ids.get(name) for name in NEWLINES), self.end)

    @property
    def learned(self) -> list[str]:
        """All tokens, for none of them is fixed."""
        return self.pieces

    @cached_property
    def put_first(self) -> int | None:
        """The token that the file itself puts before a text, if any: <s> in most Llamas."""
        around = self.put_around("")
        return around[0] if around else None

    def put_around(self, text: str) -> list[int]:
        """Return the numbers of a text with the marks that the file itself puts around it."""
        with explain_errors():
            return self._library.encode(text, add_special_tokens=True).ids

    def encode(self, text: str) -> list[int]:
        """Return the numbers of a text, without marks; a mark that the text spells is text."""
        return self._encode(self._library, text)

    def encode_with_special_tokens(self, text: str) -> list[int]:
        """Return the numbers of a text in which marks such as [MASK] may be spelled."""
        return self._encode(self._with_special_tokens, text)

    def decode(self, ids: Ids) -> str:
        """Return the text of any numbers; padding, start and end say nothing."""
        said = [number for number in self._known(ids) if number not in self._silent]
        with explain_errors():
            return self._library.decode(said, skip_special_tokens=False)

    def begins_word(self, number: int) -> bool:
        """Whether the text of a token begins a word, as this file parts them."""
        piece = self.pieces[number]
        if self._further:
            return not piece.startswith(self._further)
        return self._whole_words or piece.startswith((SPACE, BYTE_SPACE))

    def _encode(self, library: Library, text: str) -> list[int]:
        normalize(text)  # only to refuse what is not Unicode text: the file has rules of its own
        with explain_errors():
            return library.encode(text, add_special_tokens=False).ids

    def _known(self, ids: Ids) -> list[int]:
        """Whatever a network puts out becomes a number of this vocabulary."""
        strange = self._first_known(self.unknown, self.end, self.pad)
        return [n if 0 <= (n := int(number)) < self.size else strange for number in ids]

    @staticmethod
    def _first_known(*numbers: int | None) -> int:
        return next((number for number in numbers if number is not None), 0)

    def _number(self, mark: str | None) -> int | None:
        if mark is None:
            return None
        if mark not in self.ids:
            raise DataError(
                f"the mark {mark[:40]!r} is not in the tokenizer.json that it belongs to. "
                "Take both files from the same model."
            )
        return self.ids[mark]

    def _usual_names(self) -> SpecialTokenNames:
        """Find marks by their usual names."""
        found = {
            field.name: next((name for name in USUAL[field.name] if name in self.ids), None)
            for field in fields(SpecialTokenNames)
        }
        return SpecialTokenNames(**found)

    @cached_property
    def _with_special_tokens(self) -> Library:
        return _library(self.text, plain=False)

    @cached_property
    def _model(self) -> dict[str, Any]:
        return json.loads(self.text)["model"]

    @property
    def _further(self) -> str:
        """The prefix of a subword that continues a word, where the file has one."""
        return self._model.get("continuing_subword_prefix") or ""

    @property
    def _whole_words(self) -> bool:
        return self._model.get("type") == "WordLevel"


def _library(text: str, *, plain: bool) -> Library:
    """Build what a tokenizer.json describes; where it is `plain`, marks in a text are text."""
    with explain_errors():
        library = Library.from_str(text)
    library.no_padding()
    library.no_truncation()
    library.encode_special_tokens = plain
    return library


def _try_out(library: Library) -> None:
    """Have all kinds of text encoded once, so that a file which brings the library down is refused.

    Other errors may be right: a vocabulary need not know these words.
    """
    with explain_panics():
        try:
            library.decode(library.encode(SAMPLE).ids, skip_special_tokens=False)
        except Exception:
            return


@contextmanager
def explain_errors() -> Iterator[None]:
    """Turn whatever the library raises, which is nothing in particular, into a DataError."""
    try:
        with explain_panics(), hold_back_errors():
            yield
    except DataError:
        raise
    except Exception as error:
        raise DataError(
            f"the tokenizer.json cannot be worked with ({str(error)[:200]}). "
            "Take it from its model again."
        ) from error
