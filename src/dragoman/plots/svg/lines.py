"""Lines that share their axes, as SVG."""

from collections.abc import Iterator, Sequence
from html import escape
from statistics import fmean

from dragoman.core.figures import number_text
from dragoman.plots.lab import Panel, PlotLine
from dragoman.plots.svg.marks import (
    LETTER,
    WIDTH,
    Area,
    LegendEntry,
    figure,
    headed,
    left_margin,
    legend,
    level_axis,
    upright_axis,
)
from dragoman.plots.svg.scales import (
    PlotScale,
    Ticks,
    decade_ticks,
    doubling_ticks,
    linear_ticks,
    place_ticks,
)

HIGH = 220
COLOR_COUNT = 6
FEW = 12
"""Points that are each marked."""


def lines_svg(panel: Panel) -> str:
    """Return the mean over seeds of each line, and where the seeds lie."""
    colors = _colors(panel.lines)
    marks, top = headed(panel.title)
    entries = [
        LegendEntry(one.label, color, one.dashed)
        for one, color in zip(panel.lines, colors, strict=True)
        if one.label
    ]
    keys, top = legend(entries, top)
    upright = _upright_ticks(panel)
    left = left_margin(upright)
    area = Area(left, top + 8, WIDTH - left - 14, HIGH)
    level = _level_ticks(panel, area.width)
    across, up = level.scale(area.left, area.right), upright.scale(area.bottom, area.top)
    marks += [*keys, *upright_axis(area, upright, up)]
    marks += level_axis(area, level, across, panel.across)
    marks.append(_clipped(area, _drawn(panel.lines, colors, across, up)))
    names = ", ".join(one.label for one in panel.lines if one.label)
    what = f"lines over {panel.across}" + (f": {names}" if names else "")
    return figure(panel.title, what, area.bottom + (44 if panel.across else 26), marks)


def _colors(lines: Sequence[PlotLine]) -> list[int]:
    """Return the color of each line; where none was chosen, one after the other."""
    chosen = [line.color % COLOR_COUNT for line in lines]
    return [number % COLOR_COUNT for number in range(len(lines))] if not any(chosen) else chosen


def _upright_ticks(panel: Panel) -> Ticks:
    values = [value for line in panel.lines for seeds in line.values for value in seeds]
    if panel.logarithmic:
        return decade_ticks(values, panel.lowest)
    return linear_ticks(values, lowest=panel.lowest)


def _level_ticks(panel: Panel, width: float) -> Ticks:
    places = [place for line in panel.lines for place in line.places]
    if not panel.doubling:
        return place_ticks(places)
    room = LETTER * max((len(number_text(place)) for place in places), default=1) + 8
    taken: list[float] = []

    def fits(share: float) -> bool:
        free = not taken or (share - taken[-1]) * width >= room
        if free:
            taken.append(share)
        return free

    return doubling_ticks(places, fits)


def _clipped(area: Area, marks: Iterator[str]) -> str:
    """Return marks of which nothing is seen outside of the area, but for the width of a line."""
    x, y, wide, high = area.left - 5, area.top - 5, area.width + 10, area.height + 10
    box = f'x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}"'
    view = f'viewBox="{x:.1f} {y:.1f} {wide:.1f} {high:.1f}"'
    return f'<svg {box} {view} overflow="hidden">{"".join(marks)}</svg>'


def _drawn(
    lines: Sequence[PlotLine], colors: Sequence[int], across: PlotScale, up: PlotScale
) -> Iterator[str]:
    for line, color in zip(lines, colors, strict=True):
        points = list(zip(line.places, line.values, strict=True))
        shown = [(x, seeds) for x, seeds in points if across.shows(x)]
        if any(len(seeds) > 1 for _, seeds in shown):
            yield _band(shown, color, across, up)
        means = [(x, fmean(seeds)) for x, seeds in shown if seeds]
        yield _path(means, f"line c{color}{' dashed' if line.dashed else ''}", across, up)
        if len(means) < FEW:
            yield from _dots(line.label, means, color, across, up)


def _band(
    points: Sequence[tuple[float, Sequence[float]]], color: int, across: PlotScale, up: PlotScale
) -> str:
    whole = [(x, seeds) for x, seeds in points if seeds and all(map(up.shows, seeds))]
    edge = [(across(x), up(max(seeds))) for x, seeds in whole]
    edge += [(across(x), up(min(seeds))) for x, seeds in reversed(whole)]
    return f'<path class="band c{color}" d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in edge)}Z"/>'


def _path(
    points: Sequence[tuple[float, float]], look: str, across: PlotScale, up: PlotScale
) -> str:
    """Return a line through points; it is broken where a value cannot be shown."""
    steps, pen, last = [], "M", ""
    for x, y in points:
        if not up.shows(y):
            pen, last = "M", ""
            continue
        here = f"{across(x):.1f} {up(y):.1f}"
        if here != last:
            steps.append(f"{pen}{here}")
        pen, last = "L", here
    return f'<path class="{look}" d="{"".join(steps)}"/>' if steps else ""


def _dots(
    label: str,
    points: Sequence[tuple[float, float]],
    color: int,
    across: PlotScale,
    up: PlotScale,
) -> Iterator[str]:
    for x, y in points:
        if up.shows(y):
            told = f"{label + ': ' if label else ''}{number_text(y)} at {number_text(x)}"
            yield _dot(across(x), up(y), f"point c{color}", told)


def _dot(x: float, y: float, look: str, told: str) -> str:
    place = f'cx="{x:.1f}" cy="{y:.1f}" r="3"'
    return f'<circle class="{look}" {place}><title>{escape(told)}</title></circle>'
