"""Power laws: straight lines in log-log coordinates, and interpolation between their points.

A law is kept as its value at a reference and its exponent, neither of which depends on a base of
logarithms: it cannot be fitted in one base and read in another.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PowerLaw:
    """y = value · (x / reference)^exponent."""

    exponent: float
    reference: float
    value: float

    def at(self, x: float) -> float:
        """Return y at x, both in plain units."""
        return float(self.value * (x / self.reference) ** self.exponent)


def fit_power_law(x: Sequence[float], y: Sequence[float]) -> PowerLaw:
    """Fit a power law by least squares in ln x and ln y; the reference is the middle of x."""
    across, up = np.log(np.asarray(x, dtype=float)), np.log(np.asarray(y, dtype=float))
    exponent, value = log_log_lines(across, up[None])
    middle = float(np.exp(across.mean()))
    return PowerLaw(float(exponent[0]), middle, float(np.exp(value[0])))


def log_log_lines(across: Array, up: Array) -> tuple[Array, Array]:
    """Return the slope of each row of `up` over `across`, and its height in the middle."""
    offset = across - across.mean()
    return up @ offset / (offset @ offset), up.mean(axis=1)


def interpolate(x: Array, known_x: Array, known_y: Array) -> Array:
    """Interpolate linearly between points in order, beyond them with the slope of the ends."""
    place = np.clip(np.searchsorted(known_x, x) - 1, 0, len(known_x) - 2)
    share = (x - known_x[place]) / (known_x[place + 1] - known_x[place])
    return known_y[place] + share * (known_y[place + 1] - known_y[place])


def interpolate_smoothly(x: Array, known_x: Array, known_y: Array) -> Array:
    """Interpolate by cubic Hermite splines, beyond the points along a straight line.

    A line broken at each point would hold an optimum fast there.
    """
    slopes = np.gradient(known_y, known_x)
    inside = np.clip(x, known_x[0], known_x[-1])
    place = np.clip(np.searchsorted(known_x, inside) - 1, 0, len(known_x) - 2)
    wide = known_x[place + 1] - known_x[place]
    t = (inside - known_x[place]) / wide
    rise = known_y[place + 1] - known_y[place]
    curve = known_y[place] + t**2 * (3 - 2 * t) * rise
    curve += t * (1 - t) * wide * ((1 - t) * slopes[place] - t * slopes[place + 1])
    return curve + (x - inside) * np.where(x < inside, slopes[0], slopes[-1])


@dataclass(frozen=True)
class FlopsPerToken:
    """Training FLOPs per token by model size, interpolated in log-log between measured sizes."""

    parameters: tuple[float, ...]
    """In rising order."""
    flops: tuple[float, ...]

    def at(self, parameters: Array) -> Array:
        """Return the FLOPs per token of model sizes; beyond the measured ones the ends go on."""
        if len(self.parameters) == 1:  # 6 N and the like: as many times as parameters grow
            return self.flops[0] / self.parameters[0] * parameters
        known = np.log(np.asarray(self.parameters)), np.log(np.asarray(self.flops))
        return np.exp(interpolate_smoothly(np.log(parameters), *known))
