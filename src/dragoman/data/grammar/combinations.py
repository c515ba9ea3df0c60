"""Held-out combinations of lexemes, and of lexeme and construction.

A stable hash decides, so that the choice is the same on every machine and in every version of
the grammar that still has the two words.
"""

from functools import cache
from zlib import crc32

HELD_OUT_PER_MILLE = 40


@cache
def held_out(first: str, second: str) -> bool:
    """Say whether a pair is kept for the test of unseen combinations."""
    return crc32(f"{first}+{second}".encode()) % 1000 < HELD_OUT_PER_MILLE
