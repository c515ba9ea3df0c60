"""The one thing every corpus is made of."""

from typing import NamedTuple


class Pair(NamedTuple):
    """A sentence and its translation, exactly as they stand in the file."""

    source: str
    target: str


Numbered = tuple[int, str | None, str | None]
"""A line or entry number with both sides; None stands for a side too long to be held."""
