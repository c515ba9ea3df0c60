"""The special tokens every vocabulary begins with, always under the same numbers.

0 <pad>  1 <unk>  2 <s>  3 </s>  4-35 placeholders ｟0｠ to ｟31｠  36-291 bytes <0x00> to <0xFF>
"""

import re

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
"""How a space is written inside a piece (U+2581)."""
