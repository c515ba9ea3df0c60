"""Confidence interval of the difference of two paired shares.

What is hard for one way of asking is mostly hard for the other, too, so the things are drawn anew,
each with both its answers (a paired bootstrap, Efron 1979): the middle 95 % of the differences.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dragoman.core.errors import DataError

DRAWS = 10_000
SEED = 12_345


@dataclass(frozen=True)
class ShareDifference:
    """The second share minus the first, with its 95 % interval."""

    things: int
    difference: float
    low: float
    high: float

    @property
    def sure(self) -> bool:
        """Say whether nought lies outside."""
        return not self.low <= 0 <= self.high


def paired_difference(first: Sequence[bool], second: Sequence[bool]) -> ShareDifference:
    """Compare how often two ways are right about the same things."""
    if len(first) != len(second) or not first:
        raise DataError(
            f"paired: {len(first)} and {len(second)} answers are not of the same things."
        )
    gains = np.asarray(second, dtype=np.int8) - np.asarray(first, dtype=np.int8)
    shares = np.array([np.mean(gains == value) for value in (-1, 0, 1)])
    drawn = np.random.default_rng(SEED).multinomial(len(gains), shares, size=DRAWS)
    low, high = np.quantile((drawn[:, 2] - drawn[:, 0]) / len(gains), [0.025, 0.975])
    return ShareDifference(len(gains), float(gains.mean()), float(low), float(high))
