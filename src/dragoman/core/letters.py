"""Scripts of letters."""

import unicodedata
from collections import Counter
from functools import lru_cache


@lru_cache(maxsize=65536)
def script(letter: str) -> str:
    """Return the script of a letter: its name begins with it."""
    return unicodedata.name(letter, "?").split()[0]


def scripts(text: str) -> Counter[str]:
    """Count the letters of a text by script."""
    return Counter(script(character) for character in text if character.isalpha())
