"""Residual bootstrap over training runs: a profile's noise is drawn again from what it left over.

Points are not drawn themselves: a parabola through a sample of six sizes often has no two sides.
What is drawn is how far each run lay from the fit, and where several points were read off one
training, all of them together, for they share its noise (Efron & Tibshirani 1993, chapter 9).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def resampled_residuals(
    groups: Sequence[tuple[Sequence[str], Array]], replicates: int, seed: int
) -> list[Array]:
    """Return for each group (the runs of its points, their residuals) drawn residuals by replicate.

    Each run is given the residuals of another; where that run has none in a group, one of the
    group's own is drawn.
    """
    random = np.random.default_rng(seed)
    runs = sorted({run for names, _ in groups for run in names})
    place = {run: number for number, run in enumerate(runs)}
    donors = random.integers(len(runs), size=(replicates, len(runs)))
    drawn = []
    for names, residuals in groups:
        own = np.full(len(runs), -1)
        own[[place[run] for run in names]] = np.arange(len(names))
        given = own[donors[:, [place[run] for run in names]]]
        other = random.integers(len(names), size=given.shape)
        drawn.append(residuals[np.where(given < 0, other, given)])
    return drawn
