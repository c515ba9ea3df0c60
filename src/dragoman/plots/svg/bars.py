"""Bars as SVG: level ones, so that names of any length stay readable."""

import math
from collections.abc import Iterator, Sequence
from statistics import fmean
from textwrap import wrap

from dragoman.core.figures import number_text
from dragoman.plots.lab import Bars
from dragoman.plots.svg.lines import COLOR_COUNT
from dragoman.plots.svg.marks import LETTER, WIDTH, Area, figure, headed, level_axis, line, text
from dragoman.plots.svg.scales import PlotScale, linear_ticks

NAME = 26
"""Letters of a name on one line."""
ROW, THICK, NAME_LINE = 34, 16, 14


def bars_svg(panel: Bars) -> str:
    """Return a bar for the mean over the seeds of each thing, and a dot for each seed."""
    marks, top = headed(panel.title)
    names = [wrap(label, NAME) or [""] for label in panel.labels]
    means = [fmean(seeds) if seeds else math.nan for seeds in panel.values]
    values = [value for seeds in panel.values for value in seeds]
    level = [] if panel.baseline is None else [panel.baseline]
    ticks = linear_ticks([0.0, *values, *level])
    left = max((len(words) for name in names for words in name), default=1) * LETTER + 14
    top += 22 if level and panel.baseline_label else 6
    written = [number_text(mean) for mean in means]
    room = max(map(len, written), default=0) * LETTER + 14
    area = Area(left, top, WIDTH - left - room, ROW * len(names))
    scale = ticks.scale(area.left, area.right)
    for place in ticks.places:
        marks.append(line(scale(place), area.top, scale(place), area.bottom, "grid"))
    marks += level_axis(area, ticks, scale, "")
    for number, (name, seeds) in enumerate(zip(names, panel.values, strict=True)):
        y = area.top + ROW * (number + 0.5)
        marks += _name(name, area.left - 10, y)
        marks += _bar(scale, seeds, y, number % COLOR_COUNT, written[number])
    if panel.baseline is not None and math.isfinite(panel.baseline):
        x = scale(panel.baseline)
        marks.append(line(x, area.top - 2, x, area.bottom, "baseline"))
        marks.append(text(x, area.top - 8, panel.baseline_label, "label"))
    told = "; ".join(
        f"{' '.join(name)} {value}" for name, value in zip(names, written, strict=True)
    )
    return figure(panel.title, f"bars: {told}", area.bottom + 26, marks)


def _name(words: Sequence[str], x: float, y: float) -> Iterator[str]:
    first = y + 4 - NAME_LINE * (len(words) - 1) / 2
    for number, each in enumerate(words):
        yield text(x, first + NAME_LINE * number, each, "label", "end")


def _bar(
    scale: PlotScale, seeds: Sequence[float], y: float, color: int, written: str
) -> Iterator[str]:
    mean = fmean(seeds) if seeds else math.nan
    finite = [value for value in seeds if math.isfinite(value)]
    end = max([0.0, *finite])
    if math.isfinite(mean):
        left, right = sorted((scale(0.0), scale(mean)))
        place = f'x="{left:.1f}" y="{y - THICK / 2:.1f}"'
        size = f'width="{max(right - left, 0.5):.1f}" height="{THICK}" rx="2"'
        yield f'<rect class="column c{color}" {place} {size}/>'
    if len(finite) > 1:
        for value in finite:
            yield f'<circle class="seed" cx="{scale(value):.1f}" cy="{y:.1f}" r="2.5"/>'
    yield text(scale(end) + 7, y + 4, written, "value", "start")
