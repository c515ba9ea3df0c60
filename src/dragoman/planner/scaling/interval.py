"""Confidence intervals from bootstrap replicates, by percentiles."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.95
"""Share of the replicates inside an interval."""


@dataclass(frozen=True)
class ConfidenceInterval:
    """A 95 % interval."""

    low: float
    high: float

    def holds(self, value: float) -> bool:
        """Say whether a value lies inside."""
        return self.low <= value <= self.high


def interval_of(replicates: NDArray[np.float64]) -> ConfidenceInterval:
    """Return the middle 95 % of the replicates."""
    low, high = np.quantile(replicates, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return ConfidenceInterval(float(low), float(high))
