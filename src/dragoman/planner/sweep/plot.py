"""Scaling laws as what is drawn of them: curves, profiles, and lines as far as they may go."""

from collections.abc import Mapping, Sequence

import numpy as np

from dragoman.planner.scaling.laws import ComputeOptimalLine, ProfileFit, ScalingLaws
from dragoman.planner.scaling.points import ScalingFitError
from dragoman.plots.scaling import Estimate, LineWithBand, ProfileCurve, ScalingPlot, SizeCurves

Curves = Mapping[int, Sequence[Sequence[tuple[float, float]]]]
"""By parameters: of each training FLOPs and loss."""


def scaling_plot(
    laws: ScalingLaws,
    curves: Curves,
    title: str,
    about: str,
    *,
    furthest: float = 0.0,
    others: Sequence[Sequence[Estimate]] = ((), ()),
    unit: str = "validation loss (nats per token)",
) -> ScalingPlot:
    """Return what is drawn of the laws; the lines go on to the furthest budget that they may."""
    budgets = [one.budget for one in laws.profiles]
    try:
        laws.at(furthest or max(budgets))
        end = max(furthest, max(budgets))
    except ScalingFitError:
        end = max(budgets)
    across = np.geomspace(min(budgets), end, 41)
    lines = [
        _line_plot(title, line, laws, across, key, other)
        for title, line, key, other in (
            ("compute-optimal size N*(C), parameters", laws.parameters, "parameters", others[0]),
            ("compute-optimal data D*(C), tokens", laws.tokens, "tokens", others[1]),
        )
        if line
    ]
    return ScalingPlot(
        title,
        about,
        [SizeCurves(size, own) for size, own in sorted(curves.items())],
        [_profile_plot(one) for one in laws.profiles],
        lines,
        unit,
    )


def _profile_plot(one: ProfileFit) -> ProfileCurve:
    points = [(float(point.parameters), float(point.loss or 0.0)) for point in one.points]
    if one.parabola is None:
        return ProfileCurve(one.budget, points)
    sizes = np.geomspace(min(x for x, _ in points), max(x for x, _ in points), 60)
    curve = [(float(size), one.parabola.loss_at(float(size))) for size in sizes]
    return ProfileCurve(one.budget, points, curve, (one.parabola.optimum, one.parabola.lowest))


def _line_plot(
    title: str,
    line: ComputeOptimalLine,
    laws: ScalingLaws,
    across: np.ndarray,
    key: str,
    others: Sequence[Estimate],
) -> LineWithBand:
    optima = []
    for one in laws.profiles:
        value = one.parabola and (one.parabola.optimum if key == "parameters" else one.tokens)
        interval = one.optimum if key == "parameters" else one.tokens_interval
        if value and interval:
            optima.append(Estimate(one.budget, value, interval.low, interval.high))
    band = []
    for flops in map(float, across):
        interval = line.interval_at(flops)
        band.append(Estimate(flops, line.law.at(flops), interval.low, interval.high))
    law = laws.parametric
    by_law = [(float(c), float(getattr(law.optimum(float(c)), key))) for c in across] if law else []
    return LineWithBand(title, optima, band, by_law, others)
