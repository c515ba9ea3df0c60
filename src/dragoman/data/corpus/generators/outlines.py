"""The outlines of shapes as distances: less than 0 inside, more than 0 outside, in pixels.

All shapes lie within a circle of the given radius. A pixel is covered by as much as the distance at
its centre says, which smooths the edges.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Outline = Callable[[Floats, Floats, Floats], Floats]
"""From places across and down, seen from the centre, and radii to distances."""

CORNER = 0.5**0.5
"""Half the side of a square whose corners lie on a circle of radius 1."""


def circle(x: Floats, y: Floats, radius: Floats) -> Floats:
    """Give the distance from a disc."""
    return np.hypot(x, y) - radius


def ring(x: Floats, y: Floats, radius: Floats) -> Floats:
    """Give the distance from a circle with a hole."""
    return np.abs(np.hypot(x, y) - 0.775 * radius) - 0.225 * radius


def box(x: Floats, y: Floats, half_width: Floats, half_height: Floats) -> Floats:
    """Give the distance from a rectangle."""
    return np.maximum(np.abs(x) - half_width, np.abs(y) - half_height)


def square(x: Floats, y: Floats, radius: Floats) -> Floats:
    """Give the distance from a square."""
    return box(x, y, CORNER * radius, CORNER * radius)


def bar(x: Floats, y: Floats, radius: Floats) -> Floats:
    """Give the distance from a rectangle that lies."""
    return box(x, y, 0.95 * radius, 0.28 * radius)


def cross(x: Floats, y: Floats, radius: Floats) -> Floats:
    """Give the distance from two crossed rectangles."""
    lying, standing = 0.95 * radius, 0.26 * radius
    return np.minimum(box(x, y, lying, standing), box(x, y, standing, lying))


def triangle(x: Floats, y: Floats, radius: Floats) -> Floats:
    """Give the distance from a triangle of equal sides that stands on one of them."""
    slanting = 0.75**0.5 * np.abs(x) - 0.5 * y
    return np.maximum(slanting, y) - 0.5 * radius


def star(x: Floats, y: Floats, radius: Floats) -> Floats:
    """Give the distance from a star of five points, one of them above."""
    fifth, inner = np.pi / 5, 0.42
    angle = np.arctan2(x, -y)  # 0 is up
    folded = np.abs((angle + fifth) % (2 * fifth) - fifth)  # from a point to the dent beside it
    far = np.hypot(x, y)
    along, aside = far * np.cos(folded), far * np.sin(folded)
    edge = np.array([inner * np.cos(fifth) - 1, inner * np.sin(fifth)])  # from point to dent
    outward = np.array([edge[1], -edge[0]]) / np.hypot(*edge)
    return outward[0] * (along - radius) + outward[1] * aside


def leaf(x: Floats, y: Floats, radius: Floats) -> Floats:
    """Give the distance from what two circles share: pointed above and below."""
    wide = 0.45 * radius
    round_ = (radius**2 + wide**2) / (2 * wide)  # of the circle through both points and the side
    return np.hypot(np.abs(x) + round_ - wide, y) - round_


OUTLINES: dict[str, Outline] = {
    "circle": circle,
    "square": square,
    "triangle": triangle,
    "cross": cross,
    "ring": ring,
    "star": star,
    "bar": bar,
    "leaf": leaf,
}


def coverage(outline: Outline, centres: Floats, radii: Floats, turns: Floats, size: int) -> Floats:
    """Say how much of each pixel n shapes cover, each on an image of its own: n h w."""
    places = np.arange(size) + 0.5
    across = places[None, None, :] - centres[:, 0, None, None]
    down = places[None, :, None] - centres[:, 1, None, None]
    sine, cosine = np.sin(turns)[:, None, None], np.cos(turns)[:, None, None]
    x, y = cosine * across + sine * down, cosine * down - sine * across
    radius = radii[:, None, None]
    distance = np.maximum(outline(x, y, radius), circle(x, y, radius))  # points are not drawn out
    return (0.5 - distance).clip(0, 1)
