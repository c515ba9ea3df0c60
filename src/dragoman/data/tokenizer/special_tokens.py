"""The special tokens every vocabulary begins with, always under the same numbers.

0 <pad>  1 <unk>  2 <s>  3 </s>  4-35 placeholders ｟0｠ to ｟31｠  36-291 bytes <0x00> to <0xFF>

Imported tokenizers have their own: [CLS] and <s> begin a text, [SEP] and </s> end it, [MASK] and
<mask> stand for a masked word.
"""

import re
from dataclasses import dataclass

from dragoman.data.formats.placeholders import COUNT, placeholder

PAD, UNKNOWN, START, END = range(4)
SPECIALS = ("<pad>", "<unk>", "<s>", "</s>")
PLACEHOLDERS = tuple(placeholder(number) for number in range(COUNT))
BYTES = tuple(f"<0x{number:02X}>" for number in range(256))
FIXED = (*SPECIALS, *PLACEHOLDERS, *BYTES)

FIRST_PLACEHOLDER = len(SPECIALS)
FIRST_BYTE = FIRST_PLACEHOLDER + len(PLACEHOLDERS)
FIRST_PIECE = len(FIXED)

PLACEHOLDER_IDS = {text: FIRST_PLACEHOLDER + number for number, text in enumerate(PLACEHOLDERS)}
PLACEHOLDER = re.compile("(｟(?:3[01]|[12]?[0-9])｠)")
"""Matches a placeholder; in a group, so that `split` keeps it."""

SPACE = "▁"
"""How a space is written inside a subword (U+2581)."""

MASK = FIRST_PLACEHOLDER + 14
"""The mask token: ｟14｠."""


@dataclass(frozen=True, slots=True)
class SpecialTokens:
    """The ids of a tokenizer's special tokens: none of them is a word of a text."""

    padding: int = PAD
    """Fills rows up. In a language model it may be any token, for padding is known by its place."""
    start: int = START
    end: int = END
    mask: int = MASK
    others: frozenset[int] = frozenset((UNKNOWN, *PLACEHOLDER_IDS.values()))
    """What else is no word and is never masked: unknown words, placeholders, tags."""
    never: tuple[int, ...] = (PAD, START, UNKNOWN)
    """What is never generated, because it is no text."""

    @property
    def all(self) -> frozenset[int]:
        """Every id that is none of a text's words."""
        return self.others | {self.padding, self.start, self.end, self.mask}

    @property
    def ends(self) -> frozenset[int]:
        """The tokens that end a text: its end, or the start of another where that can come."""
        return frozenset((self.start, self.end)).difference(self.never)


OURS = SpecialTokens()
