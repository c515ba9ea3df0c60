"""Statistical power: how many seeds it takes to see a difference that is there.

Written down before the run that counts: the smallest difference worth seeing and the deviation over
seeds that a pilot with other seeds had. A verdict from fewer seeds than these ask for is undecided.
"""

import math
from dataclasses import dataclass

T_975 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179)
T_800 = (1.376, 1.061, 0.978, 0.941, 0.920, 0.906, 0.896, 0.889, 0.883, 0.879, 0.876, 0.873)
"""Student's quantiles of 97.5 % and of 80 %, for 1, 2, … degrees of freedom."""
Z_975, Z_800 = 1.960, 0.842
MOST = 1000


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
        for count in range(2, MOST):
            quantiles = _quantile(T_975, Z_975, count - 1) + _quantile(T_800, Z_800, count - 1)
            if quantiles * self.deviation / math.sqrt(count) <= self.effect:
                return count
        return MOST


def _quantile(table: tuple[float, ...], limit: float, freedom: int) -> float:
    """Return a quantile from a table; beyond it, by its first correction to the normal one."""
    if freedom <= len(table):
        return table[freedom - 1]
    return limit + (limit**3 + limit) / (4 * freedom)
