"""Claims on what images are like: local, stationary and hierarchical."""

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from dragoman.config.settings import Settings
from dragoman.data.corpus.generators.shapes import draw_shapes
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, at_least, at_most, below
from dragoman.plots.lab import Panel, curve

Images = NDArray[np.float64]

SIDE = 24
PART, WHOLE = 4, 8
"""Sides of the small patches, and of the larger ones that four of them make up."""
FAR = (1, 2, 3, 4, 6, 8, 10)
PLACES = [(row, column) for row in (4, 9, 14) for column in (4, 9, 14)]


class ImageStatisticsSettings(Settings):
    """Drawn images of two shapes each."""

    images: int = Field(default=600, ge=400, le=2000)
    """How many images the statistics are taken from."""
    codes: int = Field(default=5, ge=1, le=16)
    """Numbers that a patch of 4×4 pixels is told by."""
    seed: int = Field(default=5, ge=0)
    """Seed of the images."""


def correlation(images: Images, far: int) -> float:
    """Return how pixels that stand so far apart in a row correlate."""
    left, right = images[:, :, :-far].ravel(), images[:, :, far:].ravel()
    return float(np.corrcoef(left, right)[0, 1])


def patches(images: Images, row: int, column: int, side: int) -> Images:
    """Return the patch at a place of every image."""
    return images[:, row : row + side, column : column + side]


def axes(rows: Images, count: int) -> Images:
    """Return the directions in which rows differ most, as columns."""
    _, _, directions = np.linalg.svd(rows, full_matrices=False)
    return np.asarray(directions[:count].T)


def told_in_two_steps(images: Images, codes: int) -> float:
    """Return how much of a larger patch is told by a code of the codes of its four parts.

    First each part of 4×4 pixels is told by `codes` numbers, then the four codes together by half
    as many numbers as they have.
    """
    wholes = patches(images, 8, 8, WHOLE)
    parts = np.stack([wholes[:, r : r + PART, c : c + PART] for r in (0, PART) for c in (0, PART)])
    rows = parts.transpose(1, 0, 2, 3).reshape(-1, PART * PART)
    known = axes(rows, codes)
    coded = (rows @ known).reshape(len(images), -1)
    kept = coded @ axes(coded, 2 * codes)
    return float((kept**2).sum() / (wholes**2).sum())


@claim(
    "E36",
    "Images have three properties that convolutions live on: near pixels belong together "
    "(*locality*), every place has the same statistics (*stationarity*), and larger patterns are "
    "made of smaller ones (*hierarchy*).",
    r"\mathrm{corr}(x_{i,j}, x_{i,j+r}) \; \mathrm{falls\ with} \; r, \qquad "
    r"p(x_{i+\Delta, j+\Delta'}) = p(x_{i,j})",
    notes="stationarity is about objects in motion; nothing has to move, the images here stand "
    "still",
)
def image_properties(settings: ImageStatisticsSettings) -> Evidence:
    """Compare drawn images with the same pixels in random order, and place with place."""
    grey = draw_shapes(settings.images, SIDE, seed=settings.seed, pairs=1.0).images.mean(axis=3)
    images = grey / 255 - (grey / 255).mean(axis=(1, 2), keepdims=True)
    flat = images.reshape(len(images), -1)
    mixed = np.random.default_rng(settings.seed).permuted(flat, axis=1).reshape(images.shape)
    near, mixed_near = correlation(images, 1), correlation(mixed, 1)
    edges = [np.diff(patches(images, *place, 5), axis=2).std() for place in PLACES]
    one_sided = images.copy()
    one_sided[:, : SIDE // 2] = 0  # always dark above: not the same statistics everywhere
    dark = [np.diff(patches(one_sided, *place, 5), axis=2).std() for place in PLACES]
    told, mixed_told = (told_in_two_steps(each, settings.codes) for each in (images, mixed))
    falling = [correlation(images, far) for far in FAR]
    return Evidence(
        stated=[
            above("correlation of neighbours beyond that at 4 pixels", near, falling[3] + 0.1),
            at_most("the same pixels in random order: of neighbours", abs(mixed_near), 0.1),
            at_most(
                "largest edge strength of nine places / smallest", max(edges) / min(edges), 1.4
            ),
            below("images dark above: smallest / largest", min(dark) / max(dark), 0.1),
            at_least("part of an 8×8 patch that a code of codes tells", told, mixed_told + 0.1),
        ],
        numbers={
            "correlation of neighbours": near,
            "correlation at 10 pixels": falling[-1],
            "told by a code of codes": told,
            "the same, pixels in random order": mixed_told,
        },
        plot=[
            Panel(
                "Correlation of two pixels of a row",
                [
                    curve("images", FAR, falling),
                    curve("random order", FAR, [correlation(mixed, far) for far in FAR], 1),
                ],
                "pixels apart",
            )
        ],
    )
