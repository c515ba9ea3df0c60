"""A first dictionary, read off the training pairs before any training.

Which target pieces belong to which source pieces is mostly visible by counting: IBM Model 1 (Brown
et al. 1993) shares each target piece out among the source pieces of its sentence, again and again,
until the shares explain each other. It is run both ways and the geometric mean is kept. Of these
link counts c the positive pointwise mutual information

    x[s, t] = max(0, log c[s, t] C / (c[s] c[t])) · c[s, t] / (c[s, t] + 1)

is large where s and t translate each other and rare company counts less. Its best factors of rank
d, x ≈ U Vᵀ, give every piece a vector of d numbers: those of a word and its translation point the
same way. A network that begins with them need not learn the dictionary word by word.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dragoman.data.batching.store import TokenStore

Vectors = NDArray[np.float32]
Counts = NDArray[np.float32]
Group = tuple[NDArray[np.int64], NDArray[np.int64]]

MOST_PAIRS = 120_000
"""Pairs that are looked at, spread over the corpus; more change the dictionary little."""

MOST_PIECES = 8000
"""Entries of each side that take part, by number: what was learned first is the most frequent."""

LONGEST = 60
"""Tokens; in longer sentences nearly everything stands beside everything."""

ROUNDS = 4
FEWEST = 0.3
"""Expected links below which a pair of pieces is an accident."""

NOTHING = 0
"""The padding stands for the empty word, which pieces without a counterpart belong to."""


def lexical_vectors(
    store: TokenStore, sizes: tuple[int, int], width: int
) -> tuple[Vectors, Vectors]:
    """Return a vector of length 1 for each source and each target entry; 0 where nothing is known.

    The same store always gives the same vectors.
    """
    rows, columns = (min(size, MOST_PIECES) for size in sizes)
    groups = list(_equal_lengths(store, rows, columns))
    forward = _link_counts(groups, rows, columns)
    backward = _link_counts([(target, source) for source, target in groups], columns, rows)
    known = _associations(np.sqrt(forward * backward.T))
    left, right = _factors(known, min(width, rows, columns))
    return _unit_rows(left, sizes[0], width), _unit_rows(right, sizes[1], width)


def _equal_lengths(store: TokenStore, rows: int, columns: int) -> Iterator[Group]:
    """Yield the pairs of equal lengths together, as rectangles, so that numpy can go over them."""
    picked = np.arange(0, len(store), max(1, len(store) // MOST_PAIRS))[:MOST_PAIRS]
    starts = store.starts[picked]
    source = store.source_lengths[picked].astype(np.int64) - 1  # END has no counterpart to find
    target = store.target_lengths[picked].astype(np.int64) - 1
    kind = source * (LONGEST + 1) + target
    fits = (np.minimum(source, target) >= 1) & (np.maximum(source, target) <= LONGEST)
    order = np.argsort(np.where(fits, kind, -1), kind="stable")[np.count_nonzero(~fits) :]
    for same in np.split(order, np.flatnonzero(np.diff(kind[order])) + 1):
        if not len(same):
            continue
        first, second = int(source[same[0]]), int(target[same[0]])
        begin = starts[same][:, None]
        read = store.tokens[begin + np.arange(first)].astype(np.int64)
        written = store.tokens[begin + first + 1 + np.arange(second)].astype(np.int64)
        # Rare pieces, beyond the table, count as the empty word and are forgotten with it.
        yield np.where(read < rows, read, NOTHING), np.where(written < columns, written, NOTHING)


def _link_counts(groups: list[Group], rows: int, columns: int) -> Counts:
    """Return how often each piece on the left is expected to have brought forth each on the right.

    One round of Model 1: every right piece is shared out among the left pieces of its sentence and
    the empty word, in proportion to how likely each of them was in the last round to give it.
    """
    codes, shares = [], []
    for left, right in groups:
        count, second = right.shape
        with_nothing = np.concatenate([np.full((count, 1), NOTHING), left], axis=1)
        codes.append((with_nothing[:, None, :] * columns + right[:, :, None]).ravel())
        shares.append(np.full(count * second, with_nothing.shape[1]))
    counts = np.zeros((rows, columns), dtype=np.float32)
    if not codes:
        return counts
    different, links = np.unique(np.concatenate(codes), return_inverse=True)
    links = links.astype(np.int32)
    among = np.concatenate(shares)
    begins = np.concatenate([[0], np.cumsum(among[:-1])])
    giver = different // columns
    expected = likely = np.ones(len(different), dtype=np.float32)
    for _ in range(ROUNDS):
        weights = likely[links]
        weights /= np.repeat(np.add.reduceat(weights, begins), among)
        expected = np.bincount(links, weights, len(different)).astype(np.float32)
        given = np.bincount(giver, expected, rows)
        likely = (expected / given[giver]).astype(np.float32)
    counts[giver, different % columns] = expected
    return counts


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
