"""Ids of special tokens: numbers that say something about a text and are none of its words.

Ours are those of `tokenizer.special_tokens`, and ｟14｠ hides a word. Vocabularies of other makers
have their own: [CLS] and <s> begin a text, [SEP] and </s> end it, [MASK] and <mask> hide a word.
"""

from dataclasses import dataclass

from dragoman.data.tokenizer.special_tokens import (
    END,
    FIRST_PLACEHOLDER,
    PAD,
    PLACEHOLDER_IDS,
    START,
    UNKNOWN,
)

MASK = FIRST_PLACEHOLDER + 14
"""What stands for a hidden word: ｟14｠."""


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of one vocabulary."""

    padding: int = PAD
    start: int = START
    end: int = END
    mask: int = MASK
    others: frozenset[int] = frozenset((UNKNOWN, *PLACEHOLDER_IDS.values()))
    """What else is no word and is never hidden: unknown words, placeholders, tags."""

    @property
    def all(self) -> frozenset[int]:
        """Every number that is none of a text's words."""
        return self.others | {self.padding, self.start, self.end, self.mask}


OURS = Marks()
