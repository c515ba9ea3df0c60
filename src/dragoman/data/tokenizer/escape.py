"""Text made ready for subwords, and back, without losing a character.

Inside subwords ▁ stands for a space. A ▁ of the text itself is written U+FDD0 0, and a U+FDD0 is
written U+FDD0 1. Unicode sets U+FDD0 aside for a program's own use, so text hardly ever holds it,
no vocabulary learns it, and it goes through as bytes.
"""

import re
import unicodedata
from functools import cache

from dragoman.core.errors import DataError
from dragoman.data.tokenizer.special_tokens import SPACE

MARK = "\ufdd0"
MANY = 64
"""Combining marks on one letter beyond which they are put in order here."""

ESCAPED = re.compile(f"{MARK}[01]")
CHARACTERS = {f"{MARK}0": SPACE, f"{MARK}1": MARK}


def normalize(text: str) -> str:
    """Return the text in composed form (NFC); refuse what is not Unicode text."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise DataError(
            f"the text holds half a surrogate pair (U+{ord(text[error.start]):04X}) at character "
            f"{error.start + 1}, which is not Unicode text. Remove it."
        ) from error
    if unicodedata.is_normalized("NFC", text):
        return text
    if len(text) > MANY:
        text = _marks().sub(_in_order, text)
    return unicodedata.normalize("NFC", text)


def escape(text: str) -> str:
    """Write each ▁ of the text so that it is not taken for a space."""
    if MARK in text:
        text = text.replace(MARK, f"{MARK}1")
    return text.replace(SPACE, f"{MARK}0") if SPACE in text else text


def unescape(text: str) -> str:
    """Turn what `escape` wrote back; anything else stays as it is."""
    return ESCAPED.sub(lambda match: CHARACTERS[match[0]], text) if MARK in text else text


@cache
def _marks() -> re.Pattern[str]:
    """Match a long run of characters that take part in the ordering of combining marks."""
    scripts = map(chr, range(0x300, 0x1F000))  # nothing below, and nothing combining above
    marks = (c for c in scripts if unicodedata.combining(unicodedata.normalize("NFD", c)[0]))
    return re.compile(f"[{''.join(map(re.escape, marks))}]{{{MANY},}}")


def _in_order(run: re.Match[str]) -> str:
    """Sort combining marks as NFC wants them: `unicodedata` takes quadratic time to do it."""
    parts = "".join(map(_decomposed, run[0]))
    return "".join(sorted(parts, key=unicodedata.combining))


@cache
def _decomposed(character: str) -> str:
    return unicodedata.normalize("NFD", character)
