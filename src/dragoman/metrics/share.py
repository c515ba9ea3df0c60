"""The Wilson interval of a share of right answers (Wilson 1927).

Of n answers k are right. The interval holds every true share p that would not be refused, at 95 %,
by the share that was seen, |k/n - p| ≤ z √(p (1 - p) / n):

    (k + z²/2) / (n + z²)  ±  z / (n + z²) · √(k (n - k) / n + z²/4)

Unlike k/n ± z √(…), it stays between 0 and 1, and has a width even where all answers are right.
"""

from math import sqrt

from dragoman.core.errors import DataError

Z = 1.959963984540054
"""Half of the 5 % lies above this many deviations."""


def wilson_interval(right: int, answers: int) -> tuple[float, float]:
    """Return the ends of the 95 % interval around a share."""
    if not 0 <= right <= answers or not answers:
        raise DataError(f"share: {right} of {answers} answers is no share.")
    middle = (right + Z**2 / 2) / (answers + Z**2)
    reach = Z / (answers + Z**2) * sqrt(right * (answers - right) / answers + Z**2 / 4)
    return max(0.0, middle - reach), min(1.0, middle + reach)
