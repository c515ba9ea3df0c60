"""Placeholders, which every tokenizer keeps whole: ｟0｠ to ｟31｠.

The low ones stand for something in the text. The others are tags: they stand before a source, each
with a space after it. ｟15｠ marks an extra pair; ｟17｠ to ｟31｠ say which language to write;
｟16｠ stands between source and target where a network reads both as one row.
"""

import re

COUNT = 32
EXTRA = 15
"""The number of the mark before extra pairs."""

PROMPT_END = 16
"""Where the source ends; beyond it stand the languages, from the last down."""

TAGS = re.compile("(?:｟(?:1[5-9]|2[0-9]|3[01])｠ )+")


def placeholder(number: int) -> str:
    """Write one of the symbols."""
    return f"｟{number}｠"


def split_tags(text: str) -> tuple[str, str]:
    """Return the tags before a source, each with its space, and the source itself."""
    found = TAGS.match(text)
    end = found.end() if found else 0
    return text[:end], text[end:]
