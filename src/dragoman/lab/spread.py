"""Means, deviations and Student's confidence intervals over seeds."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Literal

T_QUANTILES = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
"""Of 97.5 %, for 1, 2, … degrees of freedom."""

Sign = Literal["above", "below", "unclear"]


@dataclass(frozen=True)
class Spread:
    """A figure over seeds, with the 95 % interval of its mean."""

    mean: float
    deviation: float
    count: int

    @property
    def margin(self) -> float:
        """Half the width of the interval; infinite for a single seed."""
        if self.count < 2:
            return math.inf
        freedom = min(self.count - 1, len(T_QUANTILES))
        return T_QUANTILES[freedom - 1] * self.deviation / math.sqrt(self.count)

    def side_of(self, value: float) -> Sign:
        """Say on which side of a value the whole interval lies."""
        if self.mean - self.margin > value:
            return "above"
        if self.mean + self.margin < value:
            return "below"
        return "unclear"

    def written(self, digits: int = 3) -> str:
        """Return the mean and the deviation as people write them."""
        if self.count < 2:
            return f"{self.mean:.{digits}f}"
        return f"{self.mean:.{digits}f} ± {self.deviation:.{digits}f}"

    def interval(self, digits: int = 3) -> str:
        """Return the mean and its interval as people write them."""
        if self.count < 2:
            return f"{self.mean:+.{digits}f} (one seed, so no interval)"
        low, high = self.mean - self.margin, self.mean + self.margin
        return f"{self.mean:+.{digits}f} [{low:+.{digits}f}, {high:+.{digits}f}]"

    def points(self) -> str:
        """Return a difference of shares and its interval in percentage points."""
        return Spread(100 * self.mean, 100 * self.deviation, self.count).interval(1)


def spread(values: Sequence[float]) -> Spread:
    """Gather the figures of some seeds."""
    deviation = stdev(values) if len(values) > 1 else 0.0
    return Spread(fmean(values), deviation, len(values))


def difference(first: Sequence[float], second: Sequence[float]) -> Spread:
    """Gather first minus second, seed by seed."""
    return spread([one - other for one, other in zip(first, second, strict=True)])
