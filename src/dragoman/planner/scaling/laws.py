"""Scaling laws of a study: compute-optimal lines N*(C) and D*(C), beside the parametric law.

Parabolas are biased even without noise, where the two exponents differ, sizes are spread wide or
lie off the optimum (Czech et al. 2026, arXiv 2603.22339); so both are fitted, and how far they are
apart is told.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman.planner.scaling.bootstrap import resampled_residuals
from dragoman.planner.scaling.interval import LEVEL, ConfidenceInterval, interval_of
from dragoman.planner.scaling.isoflop import IsoFlopProfile, Parabola, profiles_of
from dragoman.planner.scaling.parametric import Allocation, ParametricFit, ParametricLaw
from dragoman.planner.scaling.points import (
    ScalingFitError,
    ScalingPoint,
    check_points,
    flops_text,
)
from dragoman.planner.scaling.power_law import (
    FlopsPerToken,
    PowerLaw,
    fit_power_law,
    log_log_lines,
)

Array = NDArray[np.float64]

FEWEST_BUDGETS = 3
"""Profiles with a minimum that a line needs: two would fix it whatever their noise."""
REPLICATES, LAW_REPLICATES = 1000, 200


@dataclass(frozen=True)
class ProfileFit:
    """One isoFLOP profile: its parabola and optimum, or why it has none."""

    budget: float
    points: tuple[ScalingPoint, ...]
    parabola: Parabola | None = None
    optimum: ConfidenceInterval | None = None
    """Of N*."""
    tokens: float | None = None
    """D*."""
    tokens_interval: ConfidenceInterval | None = None
    refusal: str = ""


@dataclass(frozen=True)
class ComputeOptimalLine:
    """A power law in the compute budget with its bootstrap replicates."""

    law: PowerLaw
    exponent: ConfidenceInterval
    slopes: Array
    heights: Array
    """Of each replicate, ln y at the law's reference."""

    def interval_at(self, flops: float) -> ConfidenceInterval:
        """Return the interval of the line at a budget."""
        return interval_of(np.exp(self.heights + self.slopes * np.log(flops / self.law.reference)))


@dataclass(frozen=True)
class ParametricEstimate:
    """The parametric law with its bootstrap replicates."""

    law: ParametricLaw
    replicates: tuple[ParametricLaw, ...]
    per_token: FlopsPerToken
    deviation: float
    """Of the residuals, in the unit of the loss."""

    def optimum(self, flops: float) -> Allocation:
        """Return N* and D* at a budget."""
        return self.law.optimum(flops, self.per_token)

    def intervals_at(self, flops: float) -> tuple[ConfidenceInterval, ConfidenceInterval]:
        """Return the intervals of N* and D* at a budget."""
        found = [one.optimum(flops, self.per_token) for one in self.replicates]
        sizes, tokens = ([getattr(one, key) for one in found] for key in ("parameters", "tokens"))
        return interval_of(np.array(sizes)), interval_of(np.array(tokens))

    def interval(self, key: str) -> ConfidenceInterval:
        """Return the interval of one of its five numbers."""
        return interval_of(np.array([getattr(one, key) for one in self.replicates]))


@dataclass(frozen=True)
class Proposal:
    """Size and tokens for a budget, by the lines and by the parametric law."""

    flops: float
    orders: float
    """Orders of magnitude beyond the budgets of the study; 0 among them."""
    parameters: float
    parameters_interval: ConfidenceInterval
    tokens: float
    tokens_interval: ConfidenceInterval
    by_law: Allocation | None = None
    by_law_intervals: tuple[ConfidenceInterval, ConfidenceInterval] | None = None

    @property
    def extrapolates(self) -> str:
        """How far it goes beyond the study, as people say it."""
        if not self.orders:
            return "within the budgets of the study"
        return f"extrapolates by {self.orders:.1f} orders of magnitude"


@dataclass(frozen=True)
class ScalingLaws:
    """All that a scaling study says."""

    points: tuple[ScalingPoint, ...]
    profiles: tuple[ProfileFit, ...]
    parameters: ComputeOptimalLine | None
    """N*(C)."""
    tokens: ComputeOptimalLine | None
    """D*(C)."""
    parametric: ParametricEstimate | None
    refusals: tuple[str, ...]
    """What could not be fitted, and why."""

    def at(self, flops: float) -> Proposal:
        """Return size and tokens for a budget; refuse to extrapolate what has no minimum."""
        budgets = [profile.budget for profile in self.profiles]
        low, high = min(budgets), max(budgets)
        if flops < max(point.flops / point.tokens for point in self.points):
            raise ScalingFitError(
                f"scaling: {flops:g} FLOPs are fewer than one token costs; if that is a logarithm, "
                "write the FLOPs themselves, as in 1e15."
            )
        orders = max(0.0, math.log10(flops / high), math.log10(low / flops))
        without = next((one.refusal for one in self.profiles if one.refusal), "")
        if self.parameters is None or self.tokens is None or (orders and without):
            reason = without or next(iter(self.refusals))
            far = f", {orders:.1f} orders of magnitude beyond the study" if orders else ""
            raise ScalingFitError(
                f"scaling: nothing is said about {flops_text(flops)}{far}: {reason}"
            )
        law = self.parametric
        return Proposal(
            flops,
            orders,
            self.parameters.law.at(flops),
            self.parameters.interval_at(flops),
            self.tokens.law.at(flops),
            self.tokens.interval_at(flops),
            law.optimum(flops) if law else None,
            law.intervals_at(flops) if law else None,
        )


def fit_scaling_laws(
    points: Sequence[ScalingPoint],
    *,
    replicates: int = REPLICATES,
    law_replicates: int = LAW_REPLICATES,
    seed: int = 0,
) -> ScalingLaws:
    """Fit profiles, lines and the parametric law with bootstrap intervals, the same ones each time.

    Points that no fit may use are refused; a profile without a minimum is told in `refusals`.
    """
    check_points(points)
    fitted, refused = _profiles(points)
    drawn = resampled_residuals(
        [([_run_name(p) for p in one.points], one.residuals) for one, _ in fitted],
        replicates,
        seed,
    )
    optima = [profile.optima(each) for (profile, _), each in zip(fitted, drawn, strict=True)]
    profiles, kept = list(refused), []
    for (profile, parabola), found in zip(fitted, optima, strict=True):
        one = _profile_fit(profile, parabola, found)
        profiles.append(one)
        kept += [] if one.refusal else [(profile, parabola, found)]
    profiles.sort(key=lambda one: one.budget)
    refusals = [one.refusal for one in profiles if one.refusal]
    lines: tuple[ComputeOptimalLine | None, ComputeOptimalLine | None] = (None, None)
    if len(kept) < FEWEST_BUDGETS:
        refusals.append(
            f"compute-optimal line: has too few points, {len(kept)} budgets with an interior "
            f"minimum; {FEWEST_BUDGETS} are needed."
        )
    else:
        lines = _lines(kept)
    try:
        parametric = _parametric(points, law_replicates, seed)
    except ScalingFitError as error:
        parametric = None
        refusals.append(str(error))
    return ScalingLaws(
        tuple(points), tuple(profiles), lines[0], lines[1], parametric, tuple(refusals)
    )


_Fitted = list[tuple[IsoFlopProfile, Parabola]]


def _profiles(points: Sequence[ScalingPoint]) -> tuple[_Fitted, list[ProfileFit]]:
    fitted: _Fitted = []
    refused = []
    for budget, own in profiles_of(points).items():
        try:
            profile = IsoFlopProfile(own)
            fitted.append((profile, profile.parabola()))
        except ScalingFitError as error:
            refused.append(ProfileFit(budget, tuple(own), refusal=str(error)))
    return fitted, refused


def _run_name(point: ScalingPoint) -> str:
    return point.run or f"{point.parameters}/{point.budget}/{point.seed}"


def _profile_fit(profile: IsoFlopProfile, parabola: Parabola, optima: Array) -> ProfileFit:
    """Return a profile's optimum with its interval; refuse one that the noise could undo."""
    there = np.isfinite(optima)
    points = tuple(profile.points)
    if there.mean() < (1 + LEVEL) / 2:
        return ProfileFit(
            profile.budget,
            points,
            refusal=f"{profile}: is flat, {1 - there.mean():.0%} of the bootstrap replicates have "
            "no minimum. Spread the sizes wider, or train more seeds.",
        )
    optimum = np.array([parabola.optimum])
    return ProfileFit(
        profile.budget,
        points,
        parabola,
        interval_of(optima[there]),
        float(profile.tokens_at(optimum)[0]),
        interval_of(profile.tokens_at(optima[there])),
    )


def _lines(
    kept: Sequence[tuple[IsoFlopProfile, Parabola, Array]],
) -> tuple[ComputeOptimalLine, ComputeOptimalLine]:
    """Fit N*(C) and D*(C) through the optima, and through those of each replicate."""
    budgets = [profile.budget for profile, _, _ in kept]
    sizes = [parabola.optimum for _, parabola, _ in kept]
    tokens = [float(one.tokens_at(np.array([best.optimum]))[0]) for one, best, _ in kept]
    whole = np.isfinite(np.stack([found for _, _, found in kept])).all(axis=0)
    drawn_sizes = np.stack([found[whole] for _, _, found in kept], axis=1)  # r b
    drawn_tokens = np.stack([profile.tokens_at(found[whole]) for profile, _, found in kept], axis=1)
    return (
        _line(budgets, sizes, drawn_sizes),
        _line(budgets, tokens, drawn_tokens),
    )


def _line(
    budgets: Sequence[float], values: Sequence[float], replicates: Array
) -> ComputeOptimalLine:
    slopes, heights = log_log_lines(np.log(budgets), np.log(replicates))
    return ComputeOptimalLine(fit_power_law(budgets, values), interval_of(slopes), slopes, heights)


def _parametric(points: Sequence[ScalingPoint], replicates: int, seed: int) -> ParametricEstimate:
    fit = ParametricFit(points)
    law = fit.fit()
    sizes = np.array([float(point.parameters) for point in points])
    fitted = law.loss_at(sizes, np.array([point.tokens for point in points]))
    left = fit.losses - fitted
    freedom = max(1, len(points) - 5)
    residuals = left * math.sqrt(len(points) / freedom)
    places = [
        [place for place, point in enumerate(points) if point.budget == budget]
        for budget in profiles_of(points)
    ]
    for where in places:  # where E is held at nought, or the law bends, residuals have a mean
        residuals[where] -= residuals[where].mean()
    groups = [([_run_name(points[one]) for one in where], residuals[where]) for where in places]
    drawn = np.empty((replicates, len(points)))
    for where, each in zip(places, resampled_residuals(groups, replicates, seed), strict=True):
        drawn[:, where] = each
    laws = tuple(fit.refit(fitted + one, law) for one in drawn)
    deviation = math.sqrt(float(left @ left) / freedom)
    return ParametricEstimate(law, laws, flops_per_token_of(points), deviation)


def flops_per_token_of(points: Sequence[ScalingPoint]) -> FlopsPerToken:
    """Return the training FLOPs per token of each size, as the points had them."""
    sizes = sorted({point.parameters for point in points})
    mean = [
        float(np.mean([one.flops / one.tokens for one in points if one.parameters == size]))
        for size in sizes
    ]
    return FlopsPerToken(tuple(map(float, sizes)), tuple(mean))
