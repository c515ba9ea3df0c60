"""Reliability diagram: predicted probabilities against observed frequencies."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dragoman.core.errors import DataError
from dragoman.plots.canvas import BLUE, FAINT, GREEN, INK, ORANGE, add_panel, frame, new_figure
from dragoman.plots.canvas import save as save_figure
from dragoman.plots.lettering import letter

if TYPE_CHECKING:
    pass

Bins = Sequence[Mapping[str, float]]
"""For each bin its count, what was said, what came true, and the ends of its interval."""

WIDE, CURVE, COUNTS = 4.6, 4.6, 1.2  # inches
COLORS = (BLUE, ORANGE, GREEN)
FRAME = "#b6bec7"


def draw_reliability(sets: Mapping[str, Bins], path: Path, title: str, said: str) -> None:
    """Draw the curve of each test set as a PNG, with 95 % intervals, and the counts below.

    `said` names what the probabilities are of.
    """
    if not any(sets.values()):
        raise DataError(f"{path}: there is nothing to plot; no probability was checked.")
    figure = new_figure(WIDE + 1.4, CURVE + COUNTS + 2.0)
    curve = add_panel(figure, 0.9, 0.8, WIDE, CURVE)
    counts = add_panel(figure, 0.9, 0.8 + CURVE + 0.35, WIDE, COUNTS)
    names = letter(list(sets))
    curve.plot([0, 1], [0, 1], color=FAINT, linewidth=1, linestyle=(0, (4, 3)), label="calibrated")
    for number, (name, bins) in enumerate(zip(names.labels, sets.values(), strict=True)):
        color = COLORS[number % len(COLORS)]
        stated = [one["said"] for one in bins]
        came = [one["came"] for one in bins]
        below = [max(0.0, one["came"] - one["low"]) for one in bins]
        above = [max(0.0, one["high"] - one["came"]) for one in bins]
        curve.errorbar(
            stated, came, yerr=[below, above], color=color, linewidth=1.6, elinewidth=0.8,
            marker="o", markersize=4, capsize=2, label=name,
        )  # fmt: skip
        counts.vlines(stated, 0, [one["count"] for one in bins], color=color, linewidth=4)
    for panel, name in ((curve, "observed frequency"), (counts, "translations")):
        frame(panel, name)
        panel.set_xlim(0, 1)
    curve.set_ylim(0, 1)
    counts.set_ylim(bottom=0)
    curve.tick_params(labelbottom=False)
    counts.set_xlabel(said, color=FAINT, fontsize=9)
    curve.legend(
        loc="upper left", frameon=False, fontsize=8.5, labelcolor=INK,
        prop={"family": list(names.families), "size": 8.5},
    )  # fmt: skip
    heading = letter([title])
    high = figure.get_size_inches()[1]
    figure.text(
        0.9 / (WIDE + 1.4), 1 - 0.3 / high, heading.labels[0], fontsize=13, fontweight="bold",
        color=INK, fontfamily=list(heading.families), parse_math=False,
    )  # fmt: skip
    save_figure(figure, path)
