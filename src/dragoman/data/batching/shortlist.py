"""The vocabulary shortlist: likely target tokens, given the tokens of a source."""

import numpy as np
from numpy.typing import NDArray

from dragoman.data.batching.links import NOTHING, Links, equal_lengths, link_counts
from dragoman.data.batching.store import TokenStore

Pieces = NDArray[np.int64]

NONE = -1
"""Stands where a source subword has fewer target subwords than others."""

COMMON = 100
"""Target subwords that may always come: the most frequent ones, and those of the empty word."""


def likely_targets(store: TokenStore, sizes: tuple[int, int], count: int) -> tuple[Pieces, Pieces]:
    """Return the `count` likeliest target tokens of each source token, and those always allowed."""
    links = link_counts(list(equal_lengths(store, *sizes)), sizes[1])
    own = _best_of_each(links, sizes[0], max(count, COMMON))
    total = np.bincount(links.given, links.expected, sizes[1])
    frequent = np.argsort(-total, kind="stable")[:COMMON]
    frequent = frequent[total[frequent] > 0]
    always = np.union1d(frequent, own[NOTHING][:COMMON])
    return own[:, :count], always[always > NOTHING]


def _best_of_each(links: Links, rows: int, count: int) -> Pieces:
    """Return the subwords that each subword is likeliest to give, likeliest first."""
    order = np.lexsort((links.given, -links.expected, links.giver))
    giver, given = links.giver[order], links.given[order]
    begins = np.searchsorted(giver, np.arange(rows))
    rank = np.arange(len(giver)) - begins[giver]
    kept = (rank < count) & (given != NOTHING)
    best = np.full((rows, count), NONE, dtype=np.int64)
    best[giver[kept], rank[kept]] = given[kept]
    return best
