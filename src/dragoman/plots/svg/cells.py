"""A heat map as SVG: cells in two colors, one for each sign, and their scale."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dragoman.core.figures import number_text
from dragoman.plots.lab import HeatMap
from dragoman.plots.svg.marks import LETTER, WIDTH, Area, figure, headed, text, turned
from dragoman.plots.svg.scales import linear_ticks

WIDEST, HIGHEST, LARGEST = 400.0, 300.0, 46.0
LEVELS = 20
WRITTEN = 34.0
"""The size of a cell from which on its value is written into it."""
MOST_WRITTEN = 100
BAR, GAP = 12, 18
STRIDES = (1, 2, 5, 10, 20, 50, 100, 200, 500)


@dataclass(frozen=True)
class _Shade:
    """How values become shades: from `zero`, which has none, up and down to `most`."""

    zero: float
    most: float

    def level(self, value: float) -> int:
        """Return a shade from -LEVELS to LEVELS."""
        share = (value - self.zero) / self.most if self.most else 0.0
        return round(LEVELS * max(-1.0, min(1.0, share)))


def cells_svg(panel: HeatMap) -> str:
    """Return a matrix as cells, from the top, with the names of rows and columns."""
    marks, top = headed(panel.title)
    rows, columns = len(panel.values), max(map(len, panel.values), default=0)
    if not columns:
        return figure(panel.title, "an empty heat map", top, marks)
    row_names = list(panel.rows) or [str(number) for number in range(rows)]
    column_names = list(panel.columns) or [str(number) for number in range(columns)]
    shade = _shade(panel.values)
    left = min(150.0, max(map(len, row_names), default=1) * LETTER + 12) + (18 if panel.down else 0)
    area = _area(left, top + 6, rows, columns)
    marks += _cells(panel.values, area, shade)
    marks += _row_labels(row_names, area, rows)
    labels, depth = _column_labels(column_names, area, columns)
    marks += labels
    bottom = area.bottom + depth
    if panel.across:
        bottom += 18
        marks.append(text((area.left + area.right) / 2, bottom, panel.across, "label"))
    if panel.down:
        marks.append(turned(11, (area.top + area.bottom) / 2, panel.down, -90, "middle"))
    marks += _color_bar(area, shade, panel.values)
    what = f"heat map of {rows} by {columns} cells"
    if panel.down and panel.across:
        what += f", {panel.down} by {panel.across}"
    return figure(panel.title, what, max(bottom, area.top + 80) + 10, marks)


def _finite(values: Sequence[Sequence[float]]) -> list[float]:
    return [value for row in values for value in row if math.isfinite(value)]


def _shade(values: Sequence[Sequence[float]]) -> _Shade:
    """Shade away from nought if there are both signs, else from the least value on."""
    finite = _finite(values) or [0.0]
    low, high = min(finite), max(finite)
    if low < 0 < high:
        return _Shade(0.0, max(-low, high))
    near = min(abs(low), abs(high)) <= 0.25 * max(abs(low), abs(high))
    zero = 0.0 if near else (low if low >= 0 else high)
    return _Shade(zero, max(abs(low - zero), abs(high - zero)))


def _area(left: float, top: float, rows: int, columns: int) -> Area:
    """Return the area of the cells, which are square unless there are many more of one kind."""
    wide = min(LARGEST, min(WIDEST, WIDTH - left - 90) / max(columns, 1))
    high = min(LARGEST, HIGHEST / max(rows, 1))
    if 0.5 <= wide / high <= 2:
        wide = high = min(wide, high)
    return Area(left, top, wide * columns, high * rows)


def _cells(values: Sequence[Sequence[float]], area: Area, shade: _Shade) -> Iterator[str]:
    """Yield a path for all cells of a shade, and the values where there is room for them."""
    rows, columns = len(values), max(map(len, values), default=1)
    wide, high = area.width / columns, area.height / rows
    gap = 1.0 if min(wide, high) > 8 else 0.0
    paths: defaultdict[int, list[str]] = defaultdict(list)
    for row, cells in enumerate(values):
        for column, value in enumerate(cells):
            if math.isfinite(value):
                x, y = area.left + column * wide, area.top + row * high
                size = f"h{wide - gap:.2f}v{high - gap:.2f}h{gap - wide:.2f}z"
                paths[shade.level(value)].append(f"M{x:.2f} {y:.2f}{size}")
    yield (
        f'<rect class="ground" x="{area.left:.1f}" y="{area.top:.1f}" '
        f'width="{area.width:.1f}" height="{area.height:.1f}"/>'
    )
    yield _group(values, area)
    for level, path in sorted(paths.items()):
        if level:
            look = "hot" if level > 0 else "cold"
            opacity = f'fill-opacity="{abs(level) / LEVELS:.2f}"'
            yield f'<path class="{look}" {opacity} d="{"".join(path)}"/>'
    yield "</g>"
    if _has_room(values, area):
        yield from _values(values, area)


def _has_room(values: Sequence[Sequence[float]], area: Area) -> bool:
    """Say whether each cell is large enough for its value, and they are not too many."""
    rows, columns = len(values), max(map(len, values))
    roomy = min(area.width / columns, area.height / rows) >= WRITTEN
    return roomy and rows * columns <= MOST_WRITTEN


def _group(values: Sequence[Sequence[float]], area: Area) -> str:
    """Open a group of shades; they are softer where values are written upon them."""
    return '<g class="soft">' if _has_room(values, area) else "<g>"


def _values(values: Sequence[Sequence[float]], area: Area) -> Iterator[str]:
    wide, high = area.width / max(map(len, values)), area.height / len(values)
    for row, cells in enumerate(values):
        for column, value in enumerate(cells):
            words = number_text(value, 2)
            if len(words) * LETTER <= wide + 4:
                x, y = area.left + (column + 0.5) * wide, area.top + (row + 0.5) * high
                yield text(x - 0.5, y + 3.5, words, "cell")


def _row_labels(names: Sequence[str], area: Area, rows: int) -> Iterator[str]:
    high = area.height / max(rows, 1)
    every = _stride(14 / high)
    for number in range(0, min(len(names), rows), every):
        y = area.top + (number + 0.5) * high + 4
        yield text(area.left - 7, y, _short(names[number], 21), "tick", "end")


def _column_labels(names: Sequence[str], area: Area, columns: int) -> tuple[list[str], float]:
    """Return the labels below the columns, turned where they are too long; and their depth."""
    wide = area.width / max(columns, 1)
    longest = max((len(name) for name in names), default=1)
    numbered = all(name.isdigit() for name in names)
    level = longest * LETTER + 6 <= wide or numbered
    every = _stride((longest * LETTER + 8 if level else 15) / wide)
    marks = []
    for number in range(0, min(len(names), columns), every):
        x = area.left + (number + 0.5) * wide
        name = _short(names[number], 16)
        if level:
            marks.append(text(x, area.bottom + 16, name))
        else:
            marks.append(turned(x + 4, area.bottom + 12, name, -40, "end"))
    return marks, 18 if level else min(longest, 16) * LETTER * 0.66 + 16


def _stride(least: float) -> int:
    """Return the least of 1, 2, 5, 10, … that leaves enough room between labels."""
    return next(one for one in STRIDES if one >= least) if least <= STRIDES[-1] else int(least)


def _short(name: str, most: int) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _color_bar(area: Area, shade: _Shade, values: Sequence[Sequence[float]]) -> Iterator[str]:
    """Yield the scale of shades at the right, with its ends and its ticks."""
    finite = _finite(values) or [0.0]
    low, high = min(*finite, shade.zero), max(*finite, shade.zero)
    if low == high:
        return
    tall = max(70.0, min(area.height, 160.0))
    x, scale = area.right + GAP, linear_ticks([low, high], most=4)
    steps = 24
    yield _group(values, area)
    for step in range(steps):
        value = high - (step + 0.5) * (high - low) / steps
        level = shade.level(value)
        look = "hot" if level >= 0 else "cold"
        y = area.top + tall * step / steps
        opacity = f'fill-opacity="{abs(level) / LEVELS:.2f}"'
        size = f'width="{BAR}" height="{tall / steps + 0.3:.2f}"'
        yield f'<rect class="{look}" {opacity} x="{x:.1f}" y="{y:.2f}" {size}/>'
    yield "</g>"
    for place, words in zip(scale.places, scale.texts, strict=True):
        if low <= place <= high:
            y = area.top + tall * (high - place) / (high - low)
            yield text(x + BAR + 6, y + 4, words, "tick", "start")
