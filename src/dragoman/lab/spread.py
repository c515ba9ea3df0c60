"""Means, deviations and Student's confidence intervals over seeds.

Seeds that agree are no certainty: ten networks that answer all of 200 questions would not answer
all of a million. So a deviation counts as no less than the resolution of its figure, which is one
test item for a share: the interval is then never narrower than the rule of three allows (after n
right answers and no wrong one, up to 3/n may be wrong). Where no resolution is given and all seeds
are exactly alike, a thousandth of the figure stands for it; where all are nought, nothing can.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Literal

from dragoman.lab.student import t_950, t_975

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
        return self._reach(t_975)

    def is_within(self, bound: float) -> bool:
        """Say whether the mean is surely no farther from nought than a bound.

        Two one-sided tests of 5 % each (Schuirmann 1987): the mean is above the negative bound, and
        below the positive one. That is how sameness is shown; a difference that is merely not
        significant shows nothing.
        """
        return abs(self.mean) + self._reach(t_950) < bound

    def _reach(self, quantile: Callable[[int], float]) -> float:
        """Return how far the mean may lie from the true one, by a quantile of Student's."""
        if self.count < 2:
            return math.inf
        deviation = max(self.deviation, self.least)
        return quantile(self.count - 1) * deviation / math.sqrt(self.count)

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
    least = resolution
    if not resolution and deviation <= ROUNDING * size:
        least = ALIKE * size or math.inf
    return Spread(fmean(values), deviation, len(values), least)
