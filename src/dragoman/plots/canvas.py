"""A figure of its own, free of Matplotlib's global state, and its way to the disk."""

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from dragoman.core.files import write_atomic

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, FAINT, GRID, FRAME = "#24292f", "#6e7781", "#e4e8ec", "#b6bec7"
BLUE, ORANGE, GREEN = "#1f5fa8", "#c8561b", "#2c7a51"
DOTS_PER_INCH = 144


def new_figure(width: float, height: float) -> "Figure":
    """Return an empty figure of a size in inches, drawn without a screen."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=DOTS_PER_INCH, facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def add_panel(figure: "Figure", left: float, top: float, width: float, height: float) -> "Axes":
    """Add axes by inches from the figure's upper left corner."""
    wide, high = figure.get_size_inches()
    return figure.add_axes((left / wide, 1 - (top + height) / high, width / wide, height / high))


def frame(panel: "Axes", title: str = "", grid: Literal["x", "y"] = "y") -> None:
    """Give axes two quiet spines, a faint grid, and a title at the upper left."""
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        panel.spines[side].set_color(FRAME)
    panel.grid(axis=grid, color=GRID, linewidth=0.8)
    panel.set_axisbelow(True)
    panel.tick_params(colors=FAINT, labelsize=8.5, length=3, color=FRAME)
    if title:
        panel.set_title(title, loc="left", fontsize=9.5, color=INK, pad=6)


def save(figure: "Figure", path: Path) -> None:
    """Write the figure as PNG in one step, cut to what is drawn."""
    buffer = BytesIO()
    figure.savefig(buffer, format="png", bbox_inches="tight", pad_inches=0.15)
    write_atomic(path, buffer.getvalue())
