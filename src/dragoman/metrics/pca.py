"""Principal components (Pearson 1901): the axes along which data vary most, in order.

The data less their mean are X = U S Vᵀ, one example a row. The rows of Vᵀ are the axes, and along
the i-th one the variance is λᵢ = sᵢ² / n; these are the eigenvectors and eigenvalues of the
covariance XᵀX / n, found without ever squaring the data.

Keeping k axes and going back, an example loses Σ_{i>k} λᵢ on average: what varies least is dropped.
No other k axes lose less. But what varies little need not matter little: a class may hang on the
very axis that is dropped.

Rows are read in chunks. Where X = Q R with Q of orthonormal columns, R has the same S and V; so
only R is kept, and the next chunk is put below it (tall and skinny QR, Demmel et al. 2012).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dragoman.core.errors import DataError

Floats = NDArray[np.float64]

CHUNK = 4096
"""Examples that are looked at together."""


class RowBlocks(Protocol):
    """One example a row: an array, or what makes a part of one when it is asked for."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of rows, and of columns."""
        ...

    def __getitem__(self, part: slice, /) -> NDArray[Any]:
        """Return some of the rows."""
        ...


@dataclass(frozen=True)
class Pca:
    """The axes of some data and how much the data vary along them."""

    mean: Floats  # d
    components: Floats
    """The axes that are kept, of length 1 and at right angles: k d."""

    variances: Floats
    """Along every axis, those that are dropped as well, from the largest on."""

    @property
    def kept(self) -> Floats:
        """Variance along the axes that are kept: k."""
        return self.variances[: len(self.components)]

    @property
    def explained(self) -> Floats:
        """Share of the whole variance that each kept axis has: k."""
        whole = self.variances.sum()
        return self.kept / whole if whole else np.zeros(len(self.components))

    @property
    def lost(self) -> float:
        """Squared error of an example that goes there and back, on average over the data."""
        return float(self.variances[len(self.components) :].sum())

    def transform(self, rows: NDArray[Any], *, whiten: bool = False) -> Floats:
        """Return where examples lie on the axes: n d -> n k; whitened, each varies by 1."""
        codes = (np.asarray(rows, np.float64) - self.mean) @ self.components.T
        return codes / self._deviations() if whiten else codes

    def reconstruct(self, codes: NDArray[Any], *, whitened: bool = False) -> Floats:
        """Return the examples that lie there: n k -> n d."""
        given = np.asarray(codes, np.float64)
        return (given * self._deviations() if whitened else given) @ self.components + self.mean

    def _deviations(self) -> Floats:
        """Return what whitening divides by; along an axis without variance, nothing is done."""
        return np.where(self.kept > 0, np.sqrt(self.kept), 1.0)


def fit_pca(rows: RowBlocks, components: int) -> Pca:
    """Find the axes of some data, one example a row, and keep the first of them."""
    if len(rows.shape) != 2 or rows.shape[0] < 1:
        raise DataError(f"principal components need rows of numbers, not a shape of {rows.shape}.")
    count, width = rows.shape
    most = min(count, width)
    if not 1 <= components <= most:
        raise DataError(
            f"{count:,} examples of {width:,} numbers have 1 to {most:,} principal "
            f"components, not {components:,}."
        )
    mean = mean_row(rows)
    triangle: Any = np.empty((0, width))
    for chunk in _chunks(rows):
        triangle = np.linalg.qr(np.concatenate((triangle, chunk - mean)), mode="r")
    _, singular, axes = np.linalg.svd(triangle, full_matrices=False)
    return Pca(mean, _turned(axes[:components]), singular**2 / count)


def mean_row(rows: RowBlocks) -> Floats:
    """Return the mean of all rows: n d -> d."""
    total = np.zeros(rows.shape[1])
    for chunk in _chunks(rows):
        total += chunk.sum(axis=0)
    return total / rows.shape[0]


def subspace_angle(first: NDArray[Any], second: NDArray[Any]) -> float:
    """Return the largest principal angle between two spaces, each spanned by rows, in radians.

    A small angle is taken by its sine: the cosine of 1e-8 is 1 (Björck and Golub 1973).
    """
    if first.shape[1] != second.shape[1]:
        raise DataError(f"no angle between {first.shape[1]} and {second.shape[1]} dimensions.")
    one, other = (np.linalg.qr(np.asarray(rows, np.float64).T)[0] for rows in (first, second))
    if one.shape[1] < other.shape[1]:
        one, other = other, one
    shared = one.T @ other
    cosine = float(np.linalg.svd(shared, compute_uv=False)[-1])
    if cosine**2 < 0.5:
        return math.acos(cosine)
    return math.asin(min(1.0, float(np.linalg.norm(other - one @ shared, ord=2))))


def _chunks(rows: RowBlocks) -> Iterator[Floats]:
    for begin in range(0, rows.shape[0], CHUNK):
        yield np.asarray(rows[begin : begin + CHUNK], np.float64)


def _turned(axes: Floats) -> Floats:
    """Let each axis point where its largest number is positive; the other way is as good."""
    largest = np.abs(axes).argmax(axis=1)
    return axes * np.where(axes[np.arange(len(axes)), largest] < 0, -1.0, 1.0)[:, None]
