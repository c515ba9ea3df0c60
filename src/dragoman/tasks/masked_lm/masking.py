"""Masking: a text in which words are masked, as a network reads it.

"The man ___ the cart."   →   START ▁The ▁man ■ ▁the ▁cart . END

A masked word is one token, and takes the space before it along: ■ stands where ▁pulled stood. So
the space says what may be predicted: an entry that begins a word where there is one, an entry that
goes on with a word where there is none ("pull___"). With single characters a space is a token of
its own, and ■ stands for any other character.
"""

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman.core.errors import DataError
from dragoman.data.batching.masking import word_begins
from dragoman.data.tokenizer.characters import CharacterTokenizer
from dragoman.data.tokenizer.imported import ImportedTokenizer
from dragoman.data.tokenizer.special_tokens import (
    FIRST_BYTE,
    FIRST_PIECE,
    MASK,
    OURS,
    SpecialTokens,
)
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.data.tokenizer.words import WordTokenizer


@dataclass(frozen=True)
class MaskedText:
    """Tokens of a text between its marks; some of them mask a word."""

    ids: tuple[int, ...]
    places: tuple[int, ...]
    """Where among the tokens a word is masked."""
    begins: tuple[bool, ...]
    """Whether that word begins here, or one goes on."""


@dataclass(frozen=True)
class WordTokens:
    """The tokens that may be predicted for a mask: text, and no single bytes of it."""

    first: NDArray[np.bool_]  # v
    """What begins a word."""
    further: NDArray[np.bool_]  # v
    """What goes on with one."""


def special_tokens_of(tokenizer: Tokenizer) -> SpecialTokens:
    """Return the numbers that are none of a text's words."""
    if not isinstance(tokenizer, ImportedTokenizer):
        return OURS
    pad, start, end, mask = tokenizer.pad, tokenizer.start, tokenizer.end, tokenizer.mask
    if pad is None or start is None or end is None or mask is None:
        raise DataError(
            "the imported vocabulary has no mark for one of padding, start, end and mask, so no "
            "word can be hidden. Import a model that was trained to guess hidden words."
        )
    others = frozenset(() if tokenizer.unknown is None else (tokenizer.unknown,))
    return SpecialTokens(pad, start, end, mask, others)


def predictable_tokens(tokenizer: Tokenizer, special: SpecialTokens) -> WordTokens:
    """Return which entries may be predicted at the beginning of a word and inside one."""
    texts = [tokenizer.decode([number]) for number in range(tokenizer.size)]
    words = np.array([bool(text.strip()) for text in texts])
    words[[mark for mark in special.all if mark < len(words)]] = False
    if isinstance(tokenizer, CharacterTokenizer):
        words[FIRST_BYTE:FIRST_PIECE] = False
        return WordTokens(words, words)
    if not isinstance(tokenizer, ImportedTokenizer):
        words[FIRST_BYTE:FIRST_PIECE] = False
    begins = word_begins(tokenizer)
    return WordTokens(words & begins, words & ~begins)


def mask_words(tokenizer: Tokenizer, text: str, mark: str) -> MaskedText:
    """Encode a text in which a mark stands for each masked word; blanks are folded."""
    special = special_tokens_of(tokenizer)
    sign = tokenizer.pieces[special.mask]
    spelled = " ".join(text.replace(mark, sign).split())
    begins = [
        found.start() == 0 or spelled[found.start() - 1] == " "
        for found in re.finditer(re.escape(sign), spelled)
    ]
    ids = _encode(tokenizer, spelled, sign)
    places = [place for place, number in enumerate(ids, 1) if number == special.mask]
    if not len(places) == len(begins) == text.count(mark):
        raise DataError(
            f"the text has {text.count(mark)} {mark!r}, and the tokenizer makes {len(places)} "
            f"masks of it. Write its own mask, {sign!r}, nowhere else in the text."
        )
    return MaskedText((special.start, *ids, special.end), tuple(places), tuple(begins))


def _encode(tokenizer: Tokenizer, text: str, sign: str) -> list[int]:
    match tokenizer:
        case ImportedTokenizer():
            return tokenizer.encode_with_special_tokens(text)
        case CharacterTokenizer():
            return tokenizer.encode(text)
        case WordTokenizer():
            return tokenizer.encode(text.replace(sign, f" {sign} "))
        case _:
            ids = tokenizer.encode(text.replace(f" {sign}", sign))
            # A text begins with the ▁ of its first word, which here is masked with the word.
            return ids[ids.index(MASK) :] if text.startswith(sign) else ids
