"""The parametric scaling law L(N, D) = E + A/N^α + B/D^β, fitted by variable projection.

For given exponents the law is linear in E, A and B, which non-negative least squares finds at once;
what is left is a search over two exponents, first on a grid, then closer and closer (Golub &
Pereyra 1973; Czech et al. 2026, arXiv 2603.22339). It is approach 3 of Hoffmann et al. 2022 without
the five-dimensional search and its local minima.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman.planner.scaling.points import ScalingFitError, ScalingPoint
from dragoman.planner.scaling.power_law import FlopsPerToken

Array = NDArray[np.float64]

EXPONENTS = (0.02, 3.0)
"""Smallest and largest exponent that is looked at."""
GRID, ZOOM = 48, 9
"""Exponents on each side of the first grid, and of each closer one."""
SHRINK, ROUNDS = 0.5, 60
CLOSE, CLOSE_IN_REPLICATES = 1e-9, 1e-3
"""Relative distance of the exponents at which the search ends."""
FEWEST_POINTS = 6
"""Different pairs of N and D; five would be fitted by five numbers exactly."""
SUBSETS = ((0, 1, 2), (0, 1), (0, 2), (1, 2), (0,), (1,), (2,))


@dataclass(frozen=True)
class Allocation:
    """Parameters and tokens for a compute budget."""

    parameters: float
    tokens: float


@dataclass(frozen=True)
class ParametricLaw:
    """L(N, D) = E + A/N^α + B/D^β."""

    e: float
    """The irreducible loss E."""
    a: float
    alpha: float
    b: float
    beta: float

    def loss_at(self, parameters: Array, tokens: Array) -> Array:
        """Return the loss of sizes and tokens."""
        return self.e + self.a * parameters**-self.alpha + self.b * tokens**-self.beta

    def optimum(self, flops: float, per_token: FlopsPerToken) -> Allocation:
        """Return the compute-optimal N* and D*: the lowest loss where FLOPs(N, D) = `flops`."""
        low, high = 0.0, float(np.log(flops))
        for _ in range(5):  # each two hundred times as close
            x = np.linspace(low, high, 401)
            sizes = np.exp(x)
            loss = self.loss_at(sizes, flops / per_token.at(sizes))
            best = int(np.clip(np.argmin(loss), 1, len(x) - 2))
            low, high = x[best - 1], x[best + 1]
        size = float(np.exp((low + high) / 2))
        return Allocation(size, flops / float(per_token.at(np.array([size]))[0]))


class ParametricFit:
    """The points, scaled, and the search for their law."""

    def __init__(self, points: Sequence[ScalingPoint]) -> None:
        if len({(point.parameters, point.budget) for point in points}) < FEWEST_POINTS:
            raise ScalingFitError(
                f"parametric law: has too few points; {FEWEST_POINTS} pairs of size and budget "
                "are needed."
            )
        self.points = points
        sizes = np.log([float(point.parameters) for point in points])
        tokens = np.log([point.tokens for point in points])
        self._centers = float(sizes.mean()), float(tokens.mean())
        self._x = sizes - sizes.mean(), tokens - tokens.mean()
        self.losses = np.array([float(point.loss or 0.0) for point in points])

    def fit(self) -> ParametricLaw:
        """Find the law; refuse points that do not say how the loss depends on N and on D."""
        low, high = np.log(EXPONENTS)
        first = np.linspace(low, high, GRID)
        start = self._best(self.losses, first, first)
        law = self._refine(self.losses, start, float(first[1] - first[0]), CLOSE)
        edge = min(law.alpha, law.beta) < 1.01 * EXPONENTS[0]
        if edge or law.a == 0 or law.b == 0 or max(law.alpha, law.beta) > 0.99 * EXPONENTS[1]:
            raise ScalingFitError(
                f"parametric law: is not determined by these points (A = {law.a:.3g}, alpha = "
                f"{law.alpha:.3g}, B = {law.b:.3g}, beta = {law.beta:.3g}). Spread sizes and "
                "budgets wider."
            )
        return law

    def refit(self, losses: Array, near: ParametricLaw) -> ParametricLaw:
        """Find the law of other losses at the same points, beginning near a known one."""
        start = float(np.log(near.alpha)), float(np.log(near.beta))
        return self._refine(losses, start, 0.25, CLOSE_IN_REPLICATES)

    def _refine(
        self, losses: Array, start: tuple[float, float], reach: float, close: float
    ) -> ParametricLaw:
        """Lay ever closer grids around the best exponents."""
        center = start
        for _ in range(ROUNDS):
            steps = np.linspace(-reach, reach, ZOOM)
            moved = self._best(losses, center[0] + steps, center[1] + steps)
            inside = all(abs(m - c) < 0.99 * reach for m, c in zip(moved, center, strict=True))
            center, reach = moved, reach * SHRINK if inside else reach
            if reach < close:
                break
        alpha, beta = np.exp(center[0]), np.exp(center[1])
        columns = np.exp(-alpha * self._x[0]), np.exp(-beta * self._x[1])
        found, _ = project(columns[0][None], columns[1][None], losses)
        e, a, b = found[0]
        to_units = np.exp(alpha * self._centers[0]), np.exp(beta * self._centers[1])
        return ParametricLaw(
            float(e), float(a * to_units[0]), float(alpha), float(b * to_units[1]), float(beta)
        )

    def _best(self, losses: Array, alphas: Array, betas: Array) -> tuple[float, float]:
        """Return the logarithms of the two exponents of a grid that leave the least over."""
        low, high = np.log(EXPONENTS)
        alphas, betas = np.clip(alphas, low, high), np.clip(betas, low, high)
        first = np.exp(-np.exp(alphas)[:, None] * self._x[0])  # g n
        second = np.exp(-np.exp(betas)[:, None] * self._x[1])
        one, other = (grid.ravel() for grid in np.mgrid[: len(alphas), : len(betas)])
        _, left = project(first[one], second[other], losses)
        best = int(np.argmin(left))
        return float(alphas[one[best]]), float(betas[other[best]])


def project(first: Array, second: Array, losses: Array) -> tuple[Array, Array]:
    """Solve for E, A, B ≥ 0 by least squares, for each row of two columns (g n); return g 3, g.

    With three unknowns there are seven sets of them that may be other than nought; the best of
    those without a negative one is the solution (Lawson & Hanson 1974).
    """
    columns = np.stack([np.ones_like(first), first, second], axis=1)  # g 3 n
    gram = np.einsum("gin,gjn->gij", columns, columns)
    right = columns @ losses
    best = np.zeros((len(first), 3))
    least = np.full(len(first), float(losses @ losses))
    for subset in SUBSETS:
        rows = list(subset)
        square = gram[:, rows][:, :, rows]
        square = square + 1e-14 * np.trace(square, axis1=1, axis2=2)[:, None, None] * np.eye(
            len(rows)
        )
        found = np.zeros_like(best)
        found[:, rows] = np.linalg.solve(square, right[:, rows, None])[..., 0]
        over = losses - np.einsum("gi,gin->gn", found, columns)
        left = np.einsum("gn,gn->g", over, over)
        better = (found >= 0).all(axis=1) & (left < least)
        best, least = np.where(better[:, None], found, best), np.where(better, left, least)
    return best, least
