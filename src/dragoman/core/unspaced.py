"""Scripts that are written without spaces between words."""

import unicodedata
from functools import lru_cache

UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")
"""How the Unicode names of their characters begin."""


@lru_cache(maxsize=4096)
def is_unspaced(character: str) -> bool:
    """Whether a character belongs to such a script."""
    return character > "\u0dff" and unicodedata.name(character, "").startswith(UNSPACED)
