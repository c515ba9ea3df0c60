"""A panel of a plot as inline SVG."""

from typing import assert_never

from dragoman.plots.lab import Bars, HeatMap, Panel
from dragoman.plots.svg.bars import bars_svg
from dragoman.plots.svg.cells import cells_svg
from dragoman.plots.svg.lines import lines_svg


def panel_svg(panel: Panel | Bars | HeatMap) -> str:
    """Return a panel as an SVG element, whose colors the page around it decides."""
    match panel:
        case Panel():
            return lines_svg(panel)
        case Bars():
            return bars_svg(panel)
        case HeatMap():
            return cells_svg(panel)
        case _:
            assert_never(panel)
