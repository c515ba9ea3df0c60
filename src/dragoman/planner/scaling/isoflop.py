"""IsoFLOP profiles: at one compute budget, a quadratic of the loss in ln N and its minimum.

Approach 2 of Hoffmann et al. 2022. A parabola is kept by its vertex, in plain units, so that no
coefficient is left to be read in another base than the natural one in which it was fitted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from dragoman.planner.scaling.points import ScalingFitError, ScalingPoint, flops_text
from dragoman.planner.scaling.power_law import interpolate_smoothly

Array = NDArray[np.float64]

FEWEST_SIZES = 4
"""Sizes of a profile: three would fix a parabola whatever their noise."""
FLAT = 2.0
"""A profile that rises less than this many residual deviations to either end is flat."""


@dataclass(frozen=True)
class Parabola:
    """Loss = lowest + curvature · (ln N − ln optimum)²."""

    optimum: float
    """N* in parameters."""
    lowest: float
    """The loss there."""
    curvature: float
    """Rise per squared e-fold of N."""

    def loss_at(self, parameters: float) -> float:
        """Return the loss at a size in parameters."""
        return float(self.lowest + self.curvature * np.log(parameters / self.optimum) ** 2)


class IsoFlopProfile:
    """The points of one budget and the quadratic through them."""

    def __init__(self, points: Sequence[ScalingPoint]) -> None:
        self.points = sorted(points, key=lambda point: (point.parameters, point.seed))
        self.budget = self.points[0].budget
        self.sizes = sorted({point.parameters for point in self.points})
        if len(self.sizes) < FEWEST_SIZES:
            raise ScalingFitError(
                f"{self}: has too few points, {len(self.sizes)} sizes; {FEWEST_SIZES} are needed. "
                "Add sizes."
            )
        x = np.log([float(point.parameters) for point in self.points])
        self._middle = float(x.mean())
        design = np.vander(x - self._middle, 3)  # n 3: squared, linear, constant
        self._solve = np.linalg.pinv(design)
        losses = np.array([float(point.loss or 0.0) for point in self.points])
        self._coefficients = self._solve @ losses
        self.fitted = design @ self._coefficients
        leverage = np.einsum("nk,kn->n", design, self._solve)
        raw = losses - self.fitted
        self.residuals = raw / np.sqrt(np.maximum(1 - leverage, 1e-9))
        """As large as the noise, for a fit takes some of it away."""
        self.deviation = float(np.sqrt(raw @ raw / max(1, len(raw) - 3)))

    def __str__(self) -> str:
        return f"profile at {flops_text(self.budget)}"

    def parabola(self) -> Parabola:
        """Return the parabola; refuse a profile that is flat or has no interior minimum."""
        squared, linear, constant = self._coefficients
        rise = float(np.ptp(self.fitted))
        scale = float(np.abs(self.fitted).max())
        if rise <= max(FLAT * self.deviation, 1e-9 * scale):
            raise ScalingFitError(
                f"{self}: is flat, the loss differs by {rise:.3g} between sizes with a noise of "
                f"{self.deviation:.3g}. Spread the sizes wider, or train more seeds."
            )
        low, high = self.sizes[0], self.sizes[-1]
        if squared <= 0:
            raise ScalingFitError(
                f"{self}: has no interior minimum, the loss bends downwards. Spread the sizes "
                "wider, or train more seeds."
            )
        place = -linear / (2 * squared)
        if not np.log(low) < place + self._middle < np.log(high):
            self._refuse_end("smaller" if place + self._middle <= np.log(low) else "larger")
        best = min(self.sizes, key=self._mean_loss)
        if best in (low, high):  # a parabola may turn where the losses do not
            self._refuse_end("smaller" if best == low else "larger")
        lowest = constant - squared * place**2
        optimum = float(np.exp(place + self._middle))
        return Parabola(optimum, float(lowest), float(squared))

    def _mean_loss(self, size: int) -> float:
        return float(np.mean([one.loss for one in self.points if one.parameters == size]))

    def _refuse_end(self, side: str) -> NoReturn:
        end = self.sizes[0] if side == "smaller" else self.sizes[-1]
        raise ScalingFitError(
            f"{self}: has no interior minimum, the loss still falls towards {side} models beyond "
            f"{end:,} parameters. Add {side} sizes."
        )

    def optima(self, residuals: Array) -> Array:
        """Return N* of each replicate's residuals; not a number where there is no minimum."""
        coefficients = (self.fitted + residuals) @ self._solve.T  # r 3
        squared, linear = coefficients[:, 0], coefficients[:, 1]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.where(squared > 0, np.exp(self._middle - linear / (2 * squared)), np.nan)

    def tokens_at(self, parameters: Array) -> Array:
        """Return D of sizes at this budget, interpolated in log-log between those trained."""
        mean = [
            np.mean([np.log(one.tokens) for one in self.points if one.parameters == size])
            for size in self.sizes
        ]
        known = np.log(np.array(self.sizes, dtype=float)), np.array(mean)
        return np.exp(interpolate_smoothly(np.log(parameters), *known))


def profiles_of(points: Sequence[ScalingPoint]) -> dict[float, list[ScalingPoint]]:
    """Return the points by budget, in rising order."""
    found: dict[float, list[ScalingPoint]] = {}
    for point in sorted(points, key=lambda point: point.budget):
        found.setdefault(point.budget, []).append(point)
    return found
