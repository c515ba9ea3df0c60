"""Word alignment by counting (IBM model 1): which target subwords belong to which source subwords.

IBM Model 1 (Brown et al. 1993) shares each target subword out among the source subwords of its
sentence, again and again, until the shares explain each other. What is left over goes to the empty
word, which stands in every source.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman.data.batching.store import TokenStore

Group = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Sources and targets of equal lengths, as two rectangles."""

MOST_PAIRS = 120_000
"""Pairs that are looked at, spread over the corpus; more change the counts little."""

LONGEST = 60
"""Tokens; in longer sentences nearly everything stands beside everything."""

ROUNDS = 4

NOTHING = 0
"""The padding stands for the empty word, which subwords without a counterpart belong to."""


@dataclass(frozen=True)
class Links:
    """Expected counts of links between subwords of one side and of the other."""

    giver: NDArray[np.int64]
    given: NDArray[np.int64]
    expected: NDArray[np.float32]

    def table(self, rows: int, columns: int) -> NDArray[np.float32]:
        """Return the counts as a matrix."""
        counts = np.zeros((rows, columns), dtype=np.float32)
        counts[self.giver, self.given] = self.expected
        return counts


def equal_lengths(store: TokenStore, rows: int, columns: int) -> Iterator[Group]:
    """Yield the pairs of equal lengths together, so that numpy can go over them.

    Subwords beyond the first `rows` of the source or `columns` of the target count as the empty
    word.
    """
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
        yield np.where(read < rows, read, NOTHING), np.where(written < columns, written, NOTHING)


def link_counts(groups: list[Group], columns: int) -> Links:
    """Count links from the left subwords of each group to its right ones, below `columns`.

    In a round every right subword is shared out among the left subwords of its sentence and the
    empty word, in proportion to how likely each of them was in the last round to give it.
    """
    codes, shares = [], []
    for left, right in groups:
        count, second = right.shape
        with_nothing = np.concatenate([np.full((count, 1), NOTHING), left], axis=1)
        codes.append((with_nothing[:, None, :] * columns + right[:, :, None]).ravel())
        shares.append(np.full(count * second, with_nothing.shape[1]))
    if not codes:
        nothing = np.zeros(0, dtype=np.int64)
        return Links(nothing, nothing, np.zeros(0, dtype=np.float32))
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
        all_given = np.bincount(giver, expected)
        likely = (expected / all_given[giver]).astype(np.float32)
    return Links(giver, different % columns, expected)
