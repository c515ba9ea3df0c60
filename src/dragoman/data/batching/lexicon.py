"""A first dictionary, read off the training pairs before any training.

Which target subwords belong to which source subwords is mostly visible by counting (`links`). It is
done both ways and the geometric mean is kept. Of these link counts c the positive pointwise mutual
information

    x[s, t] = max(0, log c[s, t] C / (c[s] c[t])) · c[s, t] / (c[s, t] + 1)

is large where s and t translate each other and rare company counts less. Its best factors of rank
d, x ≈ U Vᵀ, give every subword a vector of d numbers: those of a word and its translation point the
same way. A network that begins with them need not learn the dictionary word by word.
"""

import numpy as np
from numpy.typing import NDArray

from dragoman.data.batching.links import NOTHING, equal_lengths, link_counts
from dragoman.data.batching.store import TokenStore

Vectors = NDArray[np.float32]
Counts = NDArray[np.float32]

MOST_PIECES = 8000
"""Entries of each side that take part, by number: what was learned first is the most frequent."""

FEWEST = 0.3
"""Expected links below which a pair of subwords is an accident."""


def lexical_vectors(
    store: TokenStore, sizes: tuple[int, int], width: int
) -> tuple[Vectors, Vectors]:
    """Return a vector of length 1 for each source and each target token; 0 where nothing is known.

    The same store always gives the same vectors.
    """
    rows, columns = (min(size, MOST_PIECES) for size in sizes)
    groups = list(equal_lengths(store, rows, columns))
    forward = link_counts(groups, columns).table(rows, columns)
    turned = [(target, source) for source, target in groups]
    backward = link_counts(turned, rows).table(columns, rows)
    known = _associations(np.sqrt(forward * backward.T))
    left, right = _factors(known, min(width, rows, columns))
    return _unit_rows(left, sizes[0], width), _unit_rows(right, sizes[1], width)


def _associations(counts: Counts) -> Counts:
    counts[NOTHING], counts[:, NOTHING] = 0, 0
    by_left, by_right = counts.sum(1, keepdims=True), counts.sum(0, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        information = np.log(counts * counts.sum() / (by_left * by_right))
    known = np.maximum(information, 0) * counts / (counts + 1)
    return np.where(counts > FEWEST, known, 0).astype(np.float32)


def _factors(matrix: Counts, rank: int) -> tuple[Vectors, Vectors]:
    """Return U√S and V√S of the best approximation of that rank (Halko et al. 2011)."""
    random = np.random.default_rng(0)
    basis = random.standard_normal((matrix.shape[1], rank), dtype=np.float32)
    for _ in range(4):  # each turn brings out the large singular values further
        basis, _ = np.linalg.qr(matrix @ basis)
        basis, _ = np.linalg.qr(matrix.T @ basis)
    left, values, turned = np.linalg.svd(matrix @ basis, full_matrices=False)
    root = np.sqrt(values)
    return left * root, (basis @ turned.T) * root


def _unit_rows(vectors: Vectors, size: int, width: int) -> Vectors:
    """Scale each vector to length 1, and fill up to the size of the whole table."""
    table = np.zeros((size, width), dtype=np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    known = np.where(lengths > 1e-6, vectors / np.maximum(lengths, 1e-6), 0)
    table[: len(vectors), : vectors.shape[1]] = known
    return table
