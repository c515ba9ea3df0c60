"""Lines, bars and heat maps in panels side by side: the plots of experiments and claims."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from dragoman.core.errors import DataError
from dragoman.plots.canvas import (
    BLUE,
    FAINT,
    GREEN,
    INK,
    ORANGE,
    add_panel,
    frame,
    new_figure,
    save,
)
from dragoman.plots.lettering import letter

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLORS = (BLUE, ORANGE, GREEN, "#7a4fa3", "#8a6d1d", "#b03060")
WIDE, HIGH, ACROSS, DOWN = 4.6, 2.8, 0.85, 0.95
COLUMNS = 2
LETTERS_IN_A_ROW = 52
"""More do not fit below a panel without being turned."""


@dataclass(frozen=True)
class PlotLine:
    """One curve: a value for each place, from every seed that has one."""

    label: str
    places: Sequence[float]
    values: Sequence[Sequence[float]]
    """For each place, the values of the seeds."""
    color: int = 0
    dashed: bool = False


@dataclass(frozen=True)
class Panel:
    """Lines that share their axes."""

    title: str
    lines: Sequence[PlotLine]
    across: str
    """What the places are."""
    lowest: float | None = None
    """Where the upright axis begins; unless given, where the lines do."""
    doubling: bool = False
    """Give each doubling of the places the same room."""
    logarithmic: bool = False
    """Give each tenfold value the same room."""


@dataclass(frozen=True)
class HeatMap:
    """A matrix as colored cells: weights of attention, positions, Jacobians."""

    title: str
    values: Sequence[Sequence[float]]
    """Row by row, from the top."""
    across: str
    """What the columns are."""
    down: str
    """What the rows are."""
    columns: Sequence[str] = ()
    rows: Sequence[str] = ()
    """Names of columns and rows; numbers from 0 where there are none."""


@dataclass(frozen=True)
class Bars:
    """One bar for each thing that is compared, from the mean over seeds."""

    title: str
    labels: Sequence[str]
    values: Sequence[Sequence[float]]
    """For each label, the values of the seeds."""
    baseline: float | None = None
    """What needs no learning, as a dashed line."""
    baseline_label: str = ""


def curve(
    label: str,
    places: Sequence[float],
    values: Sequence[float],
    color: int = 0,
    *,
    dashed: bool = False,
) -> PlotLine:
    """Return a line with one value for each place: computed, not measured with seeds."""
    return PlotLine(label, places, [[value] for value in values], color, dashed)


def draw_panels(panels: Sequence[Panel | Bars | HeatMap], path: Path, title: str) -> None:
    """Draw panels two by two as a PNG: the mean over seeds, and where the seeds lie."""
    if not any(_points(panel) for panel in panels):
        raise DataError(f"{path}: there is nothing to plot; no panel has a point.")
    columns = min(COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    width = columns * (WIDE + ACROSS) + 0.3
    height = rows * (HIGH + DOWN) + 0.9
    figure = new_figure(width, height)
    for number, panel in enumerate(panels):
        left = 0.7 + (number % columns) * (WIDE + ACROSS)
        top = 0.95 + (number // columns) * (HIGH + DOWN)
        axes = add_panel(figure, left, top, WIDE, HIGH)
        frame(axes, panel.title)
        match panel:
            case Bars():
                _draw_bars(axes, panel)
            case HeatMap():
                _draw_cells(axes, panel)
            case Panel():
                _draw_lines(axes, panel)
    heading = letter([title])
    figure.text(
        0.7 / width, 1 - 0.35 / height, heading.labels[0], fontsize=13, fontweight="bold",
        color=INK, fontfamily=list(heading.families), parse_math=False,
    )  # fmt: skip
    save(figure, path)


def by_place(curves: Sequence[Sequence[float]]) -> list[list[float]]:
    """Turn one list for each seed into one list for each place; seeds may end early."""
    longest = max(map(len, curves), default=0)
    return [[curve[place] for curve in curves if place < len(curve)] for place in range(longest)]


def _points(panel: Panel | Bars | HeatMap) -> bool:
    match panel:
        case Bars():
            return bool(panel.labels)
        case HeatMap():
            return any(panel.values)
        case Panel():
            return any(line.places for line in panel.lines)


def _draw_cells(axes: "Axes", panel: HeatMap) -> None:
    axes.grid(visible=False)
    shown = axes.imshow(panel.values, aspect="auto", cmap="viridis", interpolation="nearest")
    bar = axes.figure.colorbar(shown, ax=axes, fraction=0.05, pad=0.02)
    bar.ax.tick_params(labelsize=7.5, colors=FAINT)
    if panel.columns:
        axes.set_xticks(range(len(panel.columns)), list(panel.columns))
    if panel.rows:
        axes.set_yticks(range(len(panel.rows)), list(panel.rows))
    axes.set_xlabel(panel.across, color=FAINT, fontsize=9)
    axes.set_ylabel(panel.down, color=FAINT, fontsize=9)


def _draw_bars(axes: "Axes", panel: Bars) -> None:
    places = range(len(panel.labels))
    means = [fmean(values) for values in panel.values]
    colors = [COLORS[place % len(COLORS)] for place in places]
    axes.bar(places, means, width=0.62, color=colors, alpha=0.75)
    for place, values in zip(places, panel.values, strict=True):
        axes.plot([place] * len(values), values, "o", color=INK, markersize=3, alpha=0.7)
    if panel.baseline is not None:
        axes.axhline(
            panel.baseline, color=INK, linewidth=1.0, linestyle="--", label=panel.baseline_label
        )
        if panel.baseline_label:
            axes.legend(loc="best", frameon=False, fontsize=8, labelcolor=INK)
    axes.set_xticks(list(places), list(panel.labels))
    if max(map(len, panel.labels), default=0) * len(panel.labels) > LETTERS_IN_A_ROW:
        axes.tick_params(axis="x", labelrotation=20)


def _draw_lines(axes: "Axes", panel: Panel) -> None:
    from matplotlib.ticker import MaxNLocator

    for line in panel.lines:
        color = COLORS[line.color % len(COLORS)]
        means = [fmean(values) for values in line.values]
        few = "o" if len(means) < 12 else ""
        axes.plot(
            line.places, means, color=color, linewidth=1.8, marker=few, markersize=4,
            linestyle="--" if line.dashed else "-", label=line.label,
        )  # fmt: skip
        lows, highs = [min(values) for values in line.values], [max(v) for v in line.values]
        if lows != highs:
            axes.fill_between(line.places, lows, highs, color=color, alpha=0.15, linewidth=0)
    if panel.logarithmic:
        axes.set_yscale("log")
    if panel.lowest is not None:
        axes.set_ylim(bottom=panel.lowest)
    if panel.doubling:
        axes.set_xscale("log", base=2)
        places = sorted({place for line in panel.lines for place in line.places})
        axes.set_xticks(places, [f"{place:g}" for place in places])
        axes.minorticks_off()
    else:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=7, integer=True))
    axes.set_xlabel(panel.across, color=FAINT, fontsize=9)
    axes.legend(loc="best", frameon=False, fontsize=8, labelcolor=INK, handlelength=1.6)
