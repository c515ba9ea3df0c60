"""Marks of an SVG plot: escaped elements, wrapped titles, legends and axes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap

from dragoman.plots.svg.scales import PlotScale, Ticks

WIDTH = 520
LETTER, TITLE_LETTER = 6.9, 8.0
"""The mean width of a letter, in labels and in titles."""
TITLE_LINE, LEGEND_LINE = 18, 17
KEY = 22


@dataclass(frozen=True)
class LegendEntry:
    """A line of a legend: its name, its color, and whether it is dashed."""

    label: str
    color: int
    dashed: bool = False


@dataclass(frozen=True)
class Area:
    """The rectangle of a plot within its frame, in pixels."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.top + self.height


def figure(title: str, what: str, height: float, parts: Sequence[str]) -> str:
    """Return the whole SVG; readers that do not see it are told what it shows."""
    label = escape(f"{title}: {what}" if title else what)
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" '
        f'height="{height:.0f}" role="img" aria-label="{label}">{"".join(parts)}</svg>'
    )


def text(x: float, y: float, words: str, look: str = "tick", anchor: str = "middle") -> str:
    """Return a line of text."""
    where = f'x="{x:.1f}" y="{y:.1f}"'
    return f'<text class="{look}" {where} text-anchor="{anchor}">{escape(words)}</text>'


def turned(x: float, y: float, words: str, degrees: float, anchor: str) -> str:
    """Return a line of text that is turned about its place."""
    turn = f'transform="translate({x:.1f} {y:.1f}) rotate({degrees:g})"'
    return f'<text class="tick" {turn} text-anchor="{anchor}">{escape(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, look: str) -> str:
    """Return a straight line."""
    return f'<path class="{look}" d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"/>'


def title_lines(title: str) -> list[str]:
    """Return a title in lines that fit."""
    return wrap(title, int((WIDTH - 8) / TITLE_LETTER)) if title else []


def headed(title: str) -> tuple[list[str], float]:
    """Return the marks of a title, and where it ends."""
    lines = title_lines(title)
    marks = [
        text(0, 14 + TITLE_LINE * number, words, "title", "start")
        for number, words in enumerate(lines)
    ]
    return marks, TITLE_LINE * len(lines) + 4


def legend(entries: Sequence[LegendEntry], top: float) -> tuple[list[str], float]:
    """Return the marks of a legend in rows, none on top of another, and where it ends."""
    marks: list[str] = []
    x, y = 0.0, top + 12
    for one in entries:
        label = _short(one.label)
        needed = KEY + 6 + len(label) * LETTER + 16
        if x and x + needed > WIDTH:
            x, y = 0.0, y + LEGEND_LINE
        look = f"line c{one.color}{' dashed' if one.dashed else ''}"
        marks += [line(x, y - 4, x + KEY, y - 4, look)]
        marks += [text(x + KEY + 6, y, label, "label", "start")]
        x += needed
    return marks, (y + 8 if entries else top)


def _short(label: str) -> str:
    most = int((WIDTH - KEY - 24) / LETTER)
    return label if len(label) <= most else f"{label[: most - 1]}…"


def left_margin(ticks: Ticks) -> float:
    """Return the room that the labels of an upright axis need."""
    return max(map(len, ticks.texts), default=1) * LETTER + 10


def upright_axis(area: Area, ticks: Ticks, scale: PlotScale) -> Iterator[str]:
    """Yield the grid and the labels of an upright axis."""
    for place, words in zip(ticks.places, ticks.texts, strict=True):
        y = scale(place)
        yield line(area.left, y, area.right, y, "grid")
        yield text(area.left - 7, y + 4, words, "tick", "end")


def level_axis(area: Area, ticks: Ticks, scale: PlotScale, name: str) -> Iterator[str]:
    """Yield the line, the ticks and the name of a level axis; labels keep apart."""
    yield line(area.left, area.bottom, area.right, area.bottom, "axis")
    free = -1e9
    for place, words in zip(ticks.places, ticks.texts, strict=True):
        x, half = scale(place), len(words) * LETTER / 2
        yield line(x, area.bottom, x, area.bottom + 4, "axis")
        if x - half >= free:
            yield text(x, area.bottom + 17, words)
            free = x + half + 6
    if name:
        yield text((area.left + area.right) / 2, area.bottom + 35, _short(name), "label")
