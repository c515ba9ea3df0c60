"""Verbal arithmetic: "five minus twelve" is negative, zero or positive.

All sums and differences of two numbers from zero to nineteen are a grid of 20 × 2 × 20 = 800 rows:
190 negative, 21 zero, 589 positive. The course's files have 640 of them to learn from (143, 19 and
478) and 160 to be tested on; its program sets 192 of the 640 aside for validation, each class by
its share. Which rows fall where follows from the seed; how many of each class never changes, so
that always answering "positive" is right for 143 of the 192, which is 74.5 %.
"""

import math
from collections.abc import Mapping, Sequence
from random import Random
from typing import Literal, NamedTuple

Sign = Literal["negative", "zero", "positive"]

SIGNS: tuple[Sign, ...] = ("negative", "zero", "positive")
NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    "nineteen",
)
OPERATIONS = {"plus": 1, "minus": -1}
TEST: Mapping[Sign, int] = {"negative": 47, "zero": 2, "positive": 111}
"""How many of each class the course's test file has."""

VALID = 192


class Arithmetic(NamedTuple):
    """A sum or a difference in words, and the sign of its result."""

    text: str
    label: Sign


class ArithmeticSets(NamedTuple):
    """The grid in three parts: 448, 192 and 160 rows."""

    train: list[Arithmetic]
    valid: list[Arithmetic]
    test: list[Arithmetic]


def make_grid() -> list[Arithmetic]:
    """Give all 800 rows: the first number changes slowest, the second fastest."""
    return [
        Arithmetic(f"{first} {operation} {second}", SIGNS[_sign(a + factor * b) + 1])
        for a, first in enumerate(NUMBERS)
        for operation, factor in OPERATIONS.items()
        for b, second in enumerate(NUMBERS)
    ]


def split_grid(seed: int) -> ArithmeticSets:
    """Divide the grid as the course does; the seed decides which rows fall where."""
    random = Random(f"arithmetic/{seed}")
    test, seen = _take(make_grid(), TEST, random)
    valid, train = _take(seen, shares(seen, VALID), random)
    return ArithmeticSets(train, valid, test)


def shares(rows: Sequence[Arithmetic], count: int) -> dict[Sign, int]:
    """Divide a count among the classes by their size; what is left over to the largest rests."""
    sizes = {sign: sum(row.label == sign for row in rows) for sign in SIGNS}
    exact = {sign: count * size / len(rows) for sign, size in sizes.items()}
    whole = {sign: math.floor(share) for sign, share in exact.items()}
    by_rest = sorted(SIGNS, key=lambda sign: whole[sign] - exact[sign])
    for sign in by_rest[: count - sum(whole.values())]:
        whole[sign] += 1
    return whole


def _take(
    rows: Sequence[Arithmetic], counts: Mapping[Sign, int], random: Random
) -> tuple[list[Arithmetic], list[Arithmetic]]:
    """Take so many rows of each class by chance; return them and the others, each shuffled."""
    order = random.sample(rows, len(rows))
    left = dict(counts)
    taken, others = [], []
    for row in order:
        if left[row.label]:
            left[row.label] -= 1
            taken.append(row)
        else:
            others.append(row)
    return taken, others


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
