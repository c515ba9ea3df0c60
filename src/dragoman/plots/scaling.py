"""Scaling laws as plots: loss against FLOPs by size, isoFLOP profiles, compute-optimal lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from dragoman.core.errors import DataError
from dragoman.plots.canvas import BLUE, FAINT, INK, ORANGE, add_panel, frame, new_figure, save
from dragoman.plots.lettering import letter

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDE, HIGH, ACROSS, DOWN, LEFT, TOP = 4.9, 3.1, 1.0, 1.0, 0.75, 1.15
COLUMNS, ROOM = 3, 0.24
"""Of a legend, and the share of a panel that it takes."""
Place = tuple[float, float]


@dataclass(frozen=True)
class SizeCurves:
    """The losses of one model size: for each training FLOPs and loss, in rising order."""

    parameters: int
    trainings: Sequence[Sequence[Place]]


@dataclass(frozen=True)
class ProfileCurve:
    """One isoFLOP profile: sizes and losses, and its parabola where it has one."""

    budget: float
    points: Sequence[Place]
    parabola: Sequence[Place] = ()
    optimum: Place | None = None


@dataclass(frozen=True)
class Estimate:
    """A figure at a budget, with its interval."""

    flops: float
    value: float
    low: float
    high: float
    label: str = ""


@dataclass(frozen=True)
class LineWithBand:
    """A compute-optimal line: the optima of the profiles, the line with its band, and the law's."""

    title: str
    optima: Sequence[Estimate]
    band: Sequence[Estimate]
    """The line itself at budgets from the smallest on, beyond the largest of the study too."""
    by_law: Sequence[Place] = ()
    """What the parametric law says at the same budgets."""
    others: Sequence[Estimate] = ()
    """Figures of others, to stand beside."""


@dataclass(frozen=True)
class ScalingPlot:
    """All that is drawn of a scaling study."""

    title: str
    subtitle: str
    curves: Sequence[SizeCurves]
    profiles: Sequence[ProfileCurve]
    lines: Sequence[LineWithBand]
    unit: str = "validation loss (nats per token)"


def draw_scaling(plot: ScalingPlot, path: Path) -> None:
    """Draw a scaling study as a PNG."""
    save(scaling_figure(plot, path), path)


def scaling_figure(plot: ScalingPlot, path: Path, *, headed: bool = True) -> "Figure":
    """Return the figure of a scaling study: four panels, or two where there are no lines."""
    if not any(profile.points for profile in plot.profiles):
        raise DataError(f"{path}: there is nothing to plot; no trial is finished.")
    rows = 1 + bool(plot.lines)
    width, height = 2 * (WIDE + ACROSS) + 0.3, TOP + rows * (HIGH + DOWN)
    figure = new_figure(width, height)
    _draw_losses(add_panel(figure, LEFT, TOP, WIDE, HIGH), plot)
    _draw_profiles(add_panel(figure, LEFT + WIDE + ACROSS, TOP, WIDE, HIGH), plot)
    for column, line in enumerate(plot.lines):
        left, top = LEFT + column * (WIDE + ACROSS), TOP + HIGH + DOWN
        _draw_line(add_panel(figure, left, top, WIDE, HIGH), line)
    heading = letter([plot.title, plot.subtitle] if headed else [])
    places = ((0.35, 13, "bold", INK), (0.62, 9, "normal", FAINT))
    for text, (down, points, weight, color) in zip(heading.labels, places, strict=False):
        figure.text(
            LEFT / width, 1 - down / height, text, fontsize=points, fontweight=weight, color=color,
            fontfamily=list(heading.families), parse_math=False,
        )  # fmt: skip
    return figure


def _shades(count: int) -> list[Any]:
    """Return a color for each of so many things in order, from light to dark."""
    from matplotlib import colormaps

    shades = colormaps["viridis_r"]
    return [shades(0.12 + 0.83 * place / max(1, count - 1)) for place in range(count)]


def _draw_losses(axes: "Axes", plot: ScalingPlot) -> None:
    frame(axes, "loss against compute, by model size")
    for one, color in zip(plot.curves, _shades(len(plot.curves)), strict=True):
        for training in one.trainings:
            if len(training) > 1:
                axes.plot(*zip(*training, strict=True), color=color, linewidth=0.7, alpha=0.4)
        mean = _mean(one.trainings)
        few = "o" if len(mean) < 12 else ""
        axes.plot(
            *zip(*mean, strict=True), color=color, linewidth=1.8, marker=few, markersize=3.6,
            label=_count_text(one.parameters),
        )  # fmt: skip
    axes.set_xscale("log")
    _dress(axes, "training FLOPs", plot.unit)
    _legend(axes, "parameters")


def _mean(trainings: Sequence[Sequence[Place]]) -> list[Place]:
    """Return the mean over trainings: of their points in order, or where each has one, by FLOPs."""
    if all(len(one) > 1 for one in trainings):
        together = zip(*trainings, strict=False)
        return [(fmean(x for x, _ in each), fmean(y for _, y in each)) for each in together]
    ends: dict[float, list[Place]] = {}
    for training in trainings:
        for flops, loss in training[-1:]:
            ends.setdefault(round(log10(flops), 1), []).append((flops, loss))
    return sorted((fmean(x for x, _ in each), fmean(y for _, y in each)) for each in ends.values())


def _draw_profiles(axes: "Axes", plot: ScalingPlot) -> None:
    frame(axes, "isoFLOP profiles: a quadratic in ln N for each budget")
    for one, color in zip(plot.profiles, _shades(len(plot.profiles)), strict=True):
        axes.plot(
            *zip(*one.points, strict=True), "o", color=color, markersize=3.8, alpha=0.75,
            label=_flops_text(one.budget),
        )  # fmt: skip
        if one.parabola:
            axes.plot(*zip(*one.parabola, strict=True), color=color, linewidth=1.6)
        if one.optimum:
            axes.plot(
                *one.optimum, "*", color=ORANGE, markersize=11, markeredgecolor="white",
                markeredgewidth=0.7, zorder=5,
            )  # fmt: skip
    axes.set_xscale("log")
    _dress(axes, "parameters (N)", plot.unit)
    _legend(axes, "FLOPs")


def _draw_line(axes: "Axes", line: LineWithBand) -> None:
    frame(axes, line.title)
    flops = [one.flops for one in line.band]
    axes.fill_between(
        flops, [one.low for one in line.band], [one.high for one in line.band],
        color=BLUE, alpha=0.15, linewidth=0,
    )  # fmt: skip
    axes.plot(
        flops, [one.value for one in line.band], color=BLUE, linewidth=1.8,
        label="parabolas, 95 % interval",
    )  # fmt: skip
    if line.by_law:
        axes.plot(
            *zip(*line.by_law, strict=True), color=ORANGE, linewidth=1.4, linestyle="--",
            label="parametric law",
        )  # fmt: skip
    for one in line.optima:
        axes.plot([one.flops] * 2, [one.low, one.high], color=BLUE, linewidth=1.2)
        axes.plot(one.flops, one.value, "o", color=BLUE, markersize=4.5)
    markers = "sD^v"
    for place, one in enumerate(line.others):
        axes.plot(
            one.flops, one.value, markers[place % len(markers)], color=INK, markersize=6,
            markerfacecolor="white", label=one.label, linestyle="none",
        )  # fmt: skip
    axes.set_xscale("log")
    axes.set_yscale("log")
    studied = max((one.flops for one in line.optima), default=flops[-1])
    if flops[-1] > 1.5 * studied:
        axes.axvspan(studied, flops[-1], color="#f3f4f6", zorder=0, linewidth=0)
        axes.annotate(
            "extrapolated", (studied, 1.0), xycoords=("data", "axes fraction"), xytext=(5, -11),
            textcoords="offset points", fontsize=8, color=FAINT,
        )  # fmt: skip
        axes.set_xlim(right=flops[-1] * 1.25)
    _dress(axes, "training FLOPs (C)", "")
    axes.legend(loc="lower right", frameon=False, fontsize=8, labelcolor=INK, handlelength=1.8)


def _dress(axes: "Axes", across: str, up: str) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    for axis in (axes.xaxis, axes.yaxis):
        if axis.get_scale() != "log":
            continue
        low, high = sorted(axis.get_view_interval())
        steps = (1.0,) if high / low > 300 else (1.0, 2.0, 5.0)
        axis.set_major_locator(LogLocator(base=10, subs=steps, numticks=12))
        text = _flops_text if axis is axes.xaxis and "FLOPs" in across else _count_text
        axis.set_major_formatter(FuncFormatter(lambda value, _, text=text: text(value)))
        axis.set_minor_formatter(NullFormatter())
    axes.tick_params(which="minor", length=0)
    axes.set_xlabel(across, color=FAINT, fontsize=9)
    axes.set_ylabel(up, color=FAINT, fontsize=9)


def _count_text(value: float) -> str:
    """Return a count as people write it: 4.86k, 268k, 1.3M."""
    for unit, letters in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= unit:
            return f"{value / unit:.3g}{letters}"
    return f"{value:.3g}"


def _flops_text(value: float) -> str:
    """Return FLOPs as people write them: 5e9, 1.28e12."""
    digits, exponent = f"{value:.2e}".split("e")
    return f"{digits.rstrip('0').rstrip('.')}e{int(exponent)}"


def _legend(axes: "Axes", title: str) -> None:
    """Name the lines in a few columns above them, with room of their own."""
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + ROOM * (high - low))
    axes.legend(
        loc="upper right", frameon=False, fontsize=8, labelcolor=INK, handlelength=1.4,
        title=title, title_fontsize=8, ncols=COLUMNS, borderaxespad=0.2, labelspacing=0.3,
        columnspacing=1.2, alignment="right",
    )  # fmt: skip
