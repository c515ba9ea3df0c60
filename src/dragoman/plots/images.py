"""Many small pictures in rows, and points in a plane: what networks make of images."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dragoman.core.errors import DataError
from dragoman.plots.canvas import BLUE, FAINT, INK, add_panel, new_figure, save
from dragoman.plots.lettering import letter

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Bytes = NDArray[np.uint8]

WIDE, LABEL = 8.4, 1.15
"""Inches of a row of pictures and of the words before it."""

TALLEST = 0.75
"""Inches of a picture at most."""

HEAD, GAP, BETWEEN = 0.34, 0.05, 0.22
"""Inches of a heading, between two rows and between two blocks of them."""

PLANE, ASIDE = 3.7, 0.85
"""Inches of a plane with points, and between two of them."""

SEAM = 0.08
"""White between two pictures, as a share of their width."""

NAMED = 12
"""Classes that a legend has room for."""


@dataclass(frozen=True)
class Strip:
    """Pictures side by side, and what they are."""

    label: str
    images: Bytes  # n h w c


@dataclass(frozen=True)
class StripBlock:
    """Strips one below the other, whose pictures belong together column by column."""

    title: str
    strips: Sequence[Strip]


@dataclass(frozen=True)
class Plane:
    """Points, each of a class."""

    title: str
    points: NDArray[np.floating[Any]]  # n 2
    classes: Sequence[str]
    """Of each point."""


def draw_images(
    blocks: Sequence[StripBlock], planes: Sequence[Plane], path: Path, title: str
) -> None:
    """Draw blocks of pictures one below the other, and planes side by side below them, as a PNG."""
    strips = [strip for block in blocks for strip in block.strips if len(strip.images)]
    if not strips and not planes:
        raise DataError(f"{path}: there is nothing to plot; there are no images and no points.")
    sides = {id(strip): _side(strip) for strip in strips}
    high = 0.6 + sum(sides.values()) + GAP * len(strips) + BETWEEN * len(blocks)
    high += HEAD * sum(bool(block.title) for block in blocks)
    high += PLANE + 1.0 if planes else 0.0
    wide = LABEL + max(WIDE, len(planes) * (PLANE + ASIDE))
    figure, top = new_figure(wide, high), 0.6
    _write(figure, 0.0, 0.3, title, size=13, bold=True)
    for block in blocks:
        if block.title:
            _write(figure, 0.0, top + 0.2, block.title, size=9.5)
            top += HEAD
        for strip in block.strips:
            if side := sides.get(id(strip)):
                _draw_strip(figure, strip, top, side)
                top += side + GAP
        top += BETWEEN
    for number, plane in enumerate(planes):
        panel = add_panel(figure, 0.45 + number * (PLANE + ASIDE), top + 0.3, PLANE, PLANE)
        _draw_points(panel, plane, named=number + 1 == len(planes))
    save(figure, path)


def mosaic(images: Bytes, columns: int | None = None) -> Bytes:
    """Lay pictures side by side with white between them, in rows where columns are given."""
    count, high, wide, _ = images.shape
    columns = min(columns or count, count)
    seam = max(1, round(SEAM * wide))
    rows = -(-count // columns)
    shape = rows * (high + seam) - seam, columns * (wide + seam) - seam, 3
    laid = np.full(shape, 255, np.uint8)
    for place, image in enumerate(images):
        down, across = (high + seam) * (place // columns), (wide + seam) * (place % columns)
        laid[down : down + high, across : across + wide] = image  # grey fills all three colours
    return laid


def signed_as_bytes(images: NDArray[np.floating[Any]]) -> Bytes:
    """Show numbers of either sign: 0 is grey, and the largest of a picture black or white."""
    largest = np.abs(images).max(axis=(1, 2, 3), keepdims=True)
    shown = images / np.where(largest > 0, largest, 1.0)
    return np.rint(127.5 + 127.5 * shown).astype(np.uint8)


def _side(strip: Strip) -> float:
    """Return the height of a strip that fills its width, unless that would be tall."""
    count, high, wide, _ = strip.images.shape
    return min(TALLEST, WIDE / (count * (1 + SEAM)) * high / wide)


def _write(
    figure: "Figure", left: float, top: float, text: str, *, size: float, bold: bool = False
) -> None:
    wide, high = figure.get_size_inches()
    written = letter([text])
    figure.text(
        left / wide, 1 - top / high, written.labels[0], fontsize=size, color=INK,
        fontweight="bold" if bold else "normal", fontfamily=list(written.families),
        parse_math=False, va="center",
    )  # fmt: skip


def _draw_strip(figure: "Figure", strip: Strip, top: float, side: float) -> None:
    laid = mosaic(strip.images)
    panel = add_panel(figure, LABEL, top, side * laid.shape[1] / laid.shape[0], side)
    panel.imshow(laid, interpolation="nearest", aspect="auto")
    panel.set_axis_off()
    _write(figure, 0.0, top + side / 2, strip.label, size=9)


def _draw_points(panel: "Axes", plane: Plane, *, named: bool) -> None:
    from matplotlib import colormaps

    names = sorted(set(plane.classes))
    written = letter([plane.title, *names])
    shades = colormaps["tab10" if len(names) <= 10 else "tab20"].colors  # type: ignore[attr-defined]
    of = np.array(plane.classes)
    for number, name in enumerate(names):
        chosen = plane.points[of == name]
        color = shades[number % len(shades)] if len(names) > 1 else BLUE
        panel.scatter(chosen[:, 0], chosen[:, 1], s=7, color=color, alpha=0.6, linewidths=0,
                      label=written.labels[1 + number])  # fmt: skip
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        panel.spines[side].set_color("#b6bec7")
    panel.tick_params(colors=FAINT, labelsize=8, color="#b6bec7")
    panel.set_title(
        written.labels[0], loc="left", fontsize=9.5, color=INK, fontfamily=list(written.families)
    )
    if named and 1 < len(names) <= NAMED:
        panel.legend(
            loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, labelcolor=INK,
            handletextpad=0.1, borderaxespad=0.1,
            prop={"family": list(written.families), "size": 8},
        )  # fmt: skip
