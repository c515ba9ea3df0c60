"""Attention weights as heat maps, with the tokens beside them.

The mean over the heads stands large on the left with its labels; the single heads stand beside it,
smaller, in the same order of tokens and on the same colours.
"""

from collections.abc import Sequence
from math import ceil, sqrt
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

from dragoman.core.errors import DataError
from dragoman.plots.canvas import FAINT, INK, add_panel, new_figure, save
from dragoman.plots.lettering import Lettering, letter, visible

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CELL, SMALLEST, LARGEST = 0.3, 2.4, 9.0  # inches
NARROWEST = 0.14  # inches that one label needs
GAP = 0.35


def draw_attention(
    weights: "np.ndarray", source: Sequence[str], target: Sequence[str], path: Path, title: str
) -> None:
    """Draw weights (heads, target, source) as a PNG; one head gives one map, several a mean too."""
    _check(weights, source, target)
    wording = letter([title, *map(visible, source), *map(visible, target)])
    width, height = _inches(len(source)), _inches(len(target))
    heads = len(weights) if len(weights) > 1 else 0
    columns = ceil(sqrt(heads))
    rows = ceil(heads / columns) if heads else 0
    small = _small_size(width, height, columns, rows)
    figure = new_figure(
        1.5 + width + columns * (small[0] + GAP), max(height, rows * (small[1] + GAP)) + 2.0
    )
    top = 1.2
    brightest = max(float(weights.max()), 1e-9)

    large = add_panel(figure, 1.0, top, width, height)
    _map(large, weights.mean(0), brightest)
    _label(large, wording, len(source), (width, height))
    if heads:
        large.set_xlabel(f"mean of {heads} heads", color=INK, fontsize=10, labelpad=8)
    for head in range(heads):
        row, column = divmod(head, columns)
        left = 1.0 + width + GAP + column * (small[0] + GAP)
        panel = add_panel(figure, left, top + row * (small[1] + GAP), *small)
        _map(panel, weights[head], brightest)
        panel.set_xticks([])
        panel.set_yticks([])
        panel.set_xlabel(f"head {head + 1}", color=FAINT, fontsize=8, labelpad=3)

    _color_bar(figure, large, brightest, (width, top + height))
    _words(figure, wording, large)
    save(figure, path)


def _check(weights: "np.ndarray", source: Sequence[str], target: Sequence[str]) -> None:
    if weights.ndim != 3 or weights.shape[1:] != (len(target), len(source)) or not weights.size:
        raise DataError(
            f"attention plot: weights of shape {weights.shape} do not fit "
            f"{len(target)} target and {len(source)} source tokens."
        )


def _inches(tokens: int) -> float:
    return min(max(tokens * CELL, SMALLEST), LARGEST)


def _small_size(width: float, height: float, columns: int, rows: int) -> tuple[float, float]:
    """Scale the map of one head so that the whole grid is about as high as the mean beside it."""
    if not rows:
        return 0.0, 0.0
    scale = max((height - (rows - 1) * GAP) / (rows * height), 1.1 / min(width, height))
    return width * scale, height * scale


def _map(panel: "Axes", weights: "np.ndarray", brightest: float) -> None:
    panel.imshow(weights, cmap="Blues", vmin=0.0, vmax=brightest, aspect="auto")
    for spine in panel.spines.values():
        spine.set_color("#b6bec7")
        spine.set_linewidth(0.6)


def _label(panel: "Axes", wording: Lettering, sources: int, size: tuple[float, float]) -> None:
    """Write the source along the top and the target down the side; leave out what would collide."""
    across, down = wording.labels[1 : 1 + sources], wording.labels[1 + sources :]
    panel.xaxis.tick_top()
    panel.tick_params(length=0, pad=4)
    for axis, names, room in ((panel.xaxis, across, size[0]), (panel.yaxis, down, size[1])):
        every = ceil(NARROWEST * len(names) / room)
        places = range(0, len(names), every)
        points = min(10.0, 72 * room / len(names) * every * 0.72)
        axis.set_ticks(places, [names[place] for place in places], parse_math=False)
        for text in axis.get_ticklabels():
            text.set(fontfamily=list(wording.families), fontsize=points, color=INK)
    for text in panel.get_xticklabels():
        text.set(rotation=90)


def _color_bar(
    figure: "Figure", panel: "Axes", brightest: float, corner: tuple[float, float]
) -> None:
    """Draw the scale under the large map."""
    width, bottom = corner
    bar = add_panel(figure, 1.0, bottom + 0.5, min(width, 2.4), 0.09)
    figure.colorbar(panel.images[0], cax=bar, orientation="horizontal", ticks=[0.0, brightest])
    bar.set_xticklabels(["0", f"{brightest:.2f}"], color=FAINT, fontsize=8)
    bar.tick_params(length=0, pad=2)
    for spine in bar.spines.values():
        spine.set_visible(False)


def _words(figure: "Figure", wording: Lettering, panel: "Axes") -> None:
    """Write the title above the labels and the note below the scale."""
    # A sentence as title would make the picture as wide as itself; about 8 letters go to an inch.
    letters = max(40, int(8 * (figure.get_size_inches()[0] - 1.0)))
    title = fill(wording.labels[0], letters, max_lines=3, placeholder=" …")
    panel.set_title(
        title, loc="left", pad=12, fontsize=12, fontweight="bold", color=INK,
        fontfamily=list(wording.families), parse_math=False,
    )  # fmt: skip
    if wording.note:
        place = panel.get_position()
        low = place.y0 - 0.95 / figure.get_size_inches()[1]
        figure.text(place.x0, low, wording.note, fontsize=7.5, color=FAINT, va="top")
