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
EVEN = 1.4
"""Largest ratio of statistics that we call the same."""
PLACES = [(row, column) for row in (4, 9, 14) for column in (4, 9, 14)]


class ImageStatisticsSettings(Settings):
    """Generated images with two shapes each."""

    images: int = Field(default=600, ge=400, le=2000)
    """Number of images."""
    codes: int = Field(default=5, ge=1, le=16)
    """Numbers that describe a patch of 4×4 pixels."""
    seed: int = Field(default=5, ge=0)
    """Seed of the images."""


def correlation(images: Images, far: int) -> float:
    """Return the correlation of two pixels of a row at a given distance."""
    left, right = images[:, :, :-far].ravel(), images[:, :, far:].ravel()
    return float(np.corrcoef(left, right)[0, 1])


def patches(images: Images, row: int, column: int, side: int) -> Images:
    """Return the patch at a place of every image."""
    return images[:, row : row + side, column : column + side]


def axes(rows: Images, count: int) -> Images:
    """Return the first principal directions of some rows, as columns."""
    _, _, directions = np.linalg.svd(rows, full_matrices=False)
    return np.asarray(directions[:count].T)


def explained_in_two_steps(images: Images, codes: int) -> float:
    """Return the share of a larger patch's variance that a code of its parts' codes explains.

    Each part of 4×4 pixels is described by `codes` numbers; then the four codes together by half
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
    "Images have three properties that convolutions exploit: nearby pixels are related "
    "(*locality*), the statistics are the same at every position (*stationarity*), and larger "
    "patterns are built from smaller ones (*hierarchy*). Stationarity has nothing to do with "
    "motion: still images have it, and shapes that move only in the lower half do not.",
    r"\mathrm{corr}(x_{i,j}, x_{i,j+r}) \; \mathrm{falls\ with} \; r, \qquad "
    r"p(x_{i+\Delta, j+\Delta'}) = p(x_{i,j})",
    notes="stationarity is about objects in motion.",
)
def image_properties(settings: ImageStatisticsSettings) -> Evidence:
    """Compare drawn images with the same pixels in random order, and positions with each other."""
    grey = draw_shapes(settings.images, SIDE, seed=settings.seed, pairs=1.0).images.mean(axis=3)
    images = grey / 255 - (grey / 255).mean(axis=(1, 2), keepdims=True)
    flat = images.reshape(len(images), -1)
    mixed = np.random.default_rng(settings.seed).permuted(flat, axis=1).reshape(images.shape)
    near, mixed_near = correlation(images, 1), correlation(mixed, 1)
    edges = [np.diff(patches(images, *place, 5), axis=2).std() for place in PLACES]
    one_sided = images.copy()
    one_sided[:, : SIDE // 2] = 0  # shapes move from image to image, but never into the upper half
    dark = [np.diff(patches(one_sided, *place, 5), axis=2).std() for place in PLACES]
    told, mixed_told = (explained_in_two_steps(each, settings.codes) for each in (images, mixed))
    falling = [correlation(images, far) for far in FAR]
    shared = [
        above("correlation of neighbors, and that at 4 pixels plus 0.1", near, falling[3] + 0.1),
        at_most("correlation of neighbors, pixels in random order", abs(mixed_near), 0.1),
        at_least("variance of 8×8 patches in a code of codes", told, mixed_told + 0.1),
    ]
    moving = "edge strength where shapes move, but only in the lower half: min / max"
    return Evidence(
        stated=[*shared, at_least(moving, min(dark) / max(dark), 1 / EVEN)],
        corrected=[
            *shared,
            at_most("edge strength at nine positions, max / min", max(edges) / min(edges), EVEN),
            below(moving, min(dark) / max(dark), 0.1),
        ],
        numbers={
            "correlation of neighbors": near,
            "correlation at 10 pixels": falling[-1],
            "variance explained by a code of codes": told,
            "the same, pixels in random order": mixed_told,
        },
        plot=[
            Panel(
                "Correlation of two pixels of a row",
                [
                    curve("images", FAR, falling),
                    curve(
                        "pixels in random order", FAR, [correlation(mixed, far) for far in FAR], 1
                    ),
                ],
                "distance in pixels",
            )
        ],
    )
