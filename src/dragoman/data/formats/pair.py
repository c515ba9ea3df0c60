"""The one thing every corpus is made of."""

from typing import NamedTuple


class Pair(NamedTuple):
    """A sentence and its translation, exactly as they stand in the file."""

    source: str
    target: str
