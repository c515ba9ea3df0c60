"""Statistical power: how many seeds it takes to see a difference that is there.

Written down before the run that counts: the smallest difference worth seeing and the deviation over
seeds that a pilot with other seeds had. A verdict from fewer seeds than these ask for is undecided.
"""

import math
from dataclasses import dataclass

from dragoman.lab.student import t_800, t_975

LEAST = 3
MOST = 1000
"""Seeds: two have hardly an interval, and more than so many nobody runs."""


@dataclass(frozen=True)
class Power:
    """A power estimate: what should be seen, and how much the seeds differ."""

    effect: float
    """The smallest difference worth seeing, in the unit of the figure."""
    deviation: float
    """Of that difference from seed to seed, in a pilot."""

    @property
    def seeds(self) -> int:
        """The seeds with which a 95 % interval excludes nought in four of five experiments."""
        for count in range(LEAST, MOST):
            quantiles = t_975(count - 1) + t_800(count - 1)
            if quantiles * self.deviation / math.sqrt(count) <= self.effect:
                return count
        return MOST
