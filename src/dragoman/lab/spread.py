"""Means, deviations and Student's confidence intervals over seeds.

Seeds that agree are no certainty: ten networks that answer all of 200 questions would not answer
all of a million. So a deviation counts as no less than the resolution of its figure, which is one
test item for a share: the interval is then never narrower than the rule of three allows (after n
right answers and no wrong one, up to 3/n may be wrong). Where no resolution is given and all seeds
are exactly alike, a thousandth of the figure stands for it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Literal

T_QUANTILES = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
"""Of 97.5 %, for 1, 2, … degrees of freedom."""
ONE_SIDED = (6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812)
"""Of 95 %, likewise."""

ALIKE = 1e-3
"""Deviation, as a share of the figure, of seeds that are all alike when no resolution is given."""
ROUNDING = 1e-9
"""As a share of the figure; what differs by less does not differ."""

Sign = Literal["above", "below", "unclear"]


@dataclass(frozen=True)
class Spread:
    """A figure over seeds, with the 95 % interval of its mean."""

    mean: float
    deviation: float
    count: int
    least: float = 0.0
    """The deviation that counts where the seeds differ by less."""

    @property
    def margin(self) -> float:
        """Half the width of the interval; infinite for a single seed."""
        return self._reach(T_QUANTILES)

    def is_within(self, bound: float) -> bool:
        """Say whether the mean is surely no farther from nought than a bound.

        Two one-sided tests of 5 % each (Schuirmann 1987): the mean is above the negative bound, and
        below the positive one. That is how sameness is shown; a difference that is merely not
        significant shows nothing.
        """
        return abs(self.mean) + self._reach(ONE_SIDED) < bound

    def _reach(self, quantiles: Sequence[float]) -> float:
        """Return how far the mean may lie from the true one, by quantiles of Student's."""
        if self.count < 2:
            return math.inf
        freedom = min(self.count - 1, len(quantiles))
        deviation = max(self.deviation, self.least)
        return quantiles[freedom - 1] * deviation / math.sqrt(self.count)

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
        return self.times(100).interval(1)

    def times(self, factor: float) -> "Spread":
        """Return it in another unit."""
        deviation, least = factor * self.deviation, factor * self.least
        return Spread(factor * self.mean, deviation, self.count, least)


def spread(values: Sequence[float], resolution: float = 0.0) -> Spread:
    """Gather the figures of some seeds; `resolution` is what the figure cannot tell apart."""
    return _gathered(values, max(map(abs, values)), resolution)


def difference(first: Sequence[float], second: Sequence[float], resolution: float = 0.0) -> Spread:
    """Gather first minus second, seed by seed."""
    size = max(map(abs, (*first, *second)))
    apart = [one - other for one, other in zip(first, second, strict=True)]
    return _gathered(apart, size, resolution)


def _gathered(values: Sequence[float], size: float, resolution: float) -> Spread:
    deviation = stdev(values) if len(values) > 1 else 0.0
    alike = deviation <= ROUNDING * size
    return Spread(fmean(values), deviation, len(values), resolution or ALIKE * size * alike)
