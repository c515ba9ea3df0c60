"""A random order of held-out rows, so that the first few of them are a random sample.

A split keeps the order of its file, and a sorted file would be validated on the letters A to I. The
order follows from the seed and the texts, not from the order of the lines. Distinct texts come
first: a sample without replacement holds none twice unless there are too few.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeVar

from dragoman.data.corpus.split import Hashes

Row = TypeVar("Row")


def in_random_order(rows: Iterable[Row], seed: int, text: Callable[[Row], str]) -> list[Row]:
    """Return rows in random order; a text that recurs comes again after all others have come."""
    hashes, seen = Hashes(seed), Counter[str]()
    ranked: list[tuple[int, int, Row]] = []
    for row in rows:
        ranked.append((seen[text(row)], hashes.of(text(row)), row))
        seen[text(row)] += 1
    return [row for _, _, row in sorted(ranked, key=lambda one: one[:2])]
