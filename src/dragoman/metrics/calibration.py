"""Calibration of probabilities: what was called 0.8 should come true in 8 of 10.

The probabilities are sorted into bins of equal width, 15 unless told otherwise (the last one holds
1 as well). In each bin the mean of what was said is compared with the share that came true:

    expected calibration error  =  Σ over bins  (count / all) · |said - came|

(Naeini et al. 2015; Guo et al. 2017). Few answers in a bin miss their true share by chance alone,
so the error of even perfect probabilities is not nought: `error_by_chance` says how much it would
be.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman.core.errors import DataError
from dragoman.metrics.share import wilson_interval

BINS = 15
DRAWS = 200
"""How often all answers are drawn anew to see what chance does."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Bin:
    """A bin of a reliability diagram: mean stated probability and observed frequency."""

    count: int
    said: float
    """Mean of the stated probabilities."""

    came: float
    """Share that came true."""

    low: float
    """Lower end of its 95 % interval."""

    high: float


def reliability(
    said: Sequence[float] | Floats, came: Sequence[bool], bins: int = BINS
) -> list[Bin]:
    """Return the bins that are not empty, the least probable first."""
    stated, true = _checked(said, came)
    places = _places(stated, bins)
    found = []
    for place in np.unique(places):
        here = places == place
        count, right = int(here.sum()), int(true[here].sum())
        low, high = wilson_interval(right, count)
        found.append(Bin(count, float(stated[here].mean()), right / count, low, high))
    return found


def calibration_error(
    said: Sequence[float] | Floats, came: Sequence[bool], bins: int = BINS
) -> float:
    """Return how far the stated probabilities are from what came true, from 0 to 1."""
    stated, true = _checked(said, came)
    return _error(stated, true, _places(stated, bins), bins)


def error_by_chance(said: Sequence[float] | Floats, bins: int = BINS, seed: int = 1) -> float:
    """Return the mean calibration error if every stated probability were exactly true."""
    stated, _ = _checked(said, [False] * len(said))
    places, random = _places(stated, bins), np.random.default_rng(seed)
    drawn = (random.random(len(stated)) < stated for _ in range(DRAWS))
    return float(np.mean([_error(stated, true.astype(float), places, bins) for true in drawn]))


def brier_score(said: Sequence[float] | Floats, came: Sequence[bool]) -> float:
    """Return the mean squared distance from what came true: sharpness counts as well."""
    stated, true = _checked(said, came)
    return float(np.mean((stated - true) ** 2))


def _checked(said: Sequence[float] | Floats, came: Sequence[bool]) -> tuple[Floats, Floats]:
    stated, true = np.asarray(said, dtype=np.float64), np.asarray(came, dtype=np.float64)
    if len(stated) != len(true) or not len(stated):
        raise DataError(
            f"calibration: {len(stated)} probabilities for {len(true)} outcomes; "
            "there must be one for each."
        )
    if not bool(((stated >= 0) & (stated <= 1)).all()):  # nor is NaN
        raise DataError("calibration: a probability is not between 0 and 1.")
    return stated, true


def _places(stated: Floats, bins: int) -> NDArray[np.int64]:
    return np.minimum((stated * bins).astype(np.int64), bins - 1)


def _error(stated: Floats, true: Floats, places: NDArray[np.int64], bins: int) -> float:
    """Sum up the distances: (count / all) · |said - came| is |sum said - sum came| / all."""
    apart = np.bincount(places, weights=stated - true, minlength=bins)
    return float(np.abs(apart).sum() / len(stated))
