"""Images as rows of numbers, and what can be said of them without any network."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman.data.batching.pixels import Bytes, Floats, Pixels, normalize
from dragoman.metrics.pca import CHUNK, Pca, fit_pca, mean_row

PRODUCTS = 2e11
"""Multiplications that may go into principal components, some seconds' worth; where there would be
more, they are found from some of the images, evenly spread."""


@dataclass(frozen=True)
class PixelRows:
    """Normalized images, each a row of numbers, made as they are asked for."""

    images: Bytes  # n h w c
    pixels: Pixels

    @property
    def shape(self) -> tuple[int, int]:
        """The number of images, and of values in each."""
        return len(self.images), int(np.prod(self.images.shape[1:]))

    def __getitem__(self, part: slice) -> Floats:
        some = normalize(np.asarray(self.images[part]), self.pixels)
        return some.reshape(len(some), -1)


def fit_image_pca(images: Bytes, pixels: Pixels, components: int) -> tuple[Pca, int]:
    """Find principal components of images; return them and the number of images they are of.

    There are never more of them than images or numbers of an image.
    """
    count, width = PixelRows(images, pixels).shape
    enough = max(2 * width, int(PRODUCTS / (2 * width**2)))
    chosen = images[:: -(-count // enough)]
    return fit_pca(PixelRows(chosen, pixels), min(components, len(chosen), width)), len(chosen)


def error_of_the_mean(train: Bytes, held_out: Bytes, pixels: Pixels) -> float:
    """Return the squared error of a pixel if every image is taken for the mean of the others."""
    mean, rows = mean_row(PixelRows(train, pixels)), PixelRows(held_out, pixels)
    total = 0.0
    for begin in range(0, rows.shape[0], CHUNK):
        total += squared_error(rows[begin : begin + CHUNK], mean)
    return total / (rows.shape[0] * rows.shape[1])


def squared_error(rows: NDArray[np.floating], others: NDArray[np.floating]) -> float:
    """Return the sum of the squared differences."""
    return float(np.square(np.asarray(rows, np.float64) - others).sum())
