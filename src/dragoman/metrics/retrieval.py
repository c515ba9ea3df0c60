"""Retrieval metrics: recall at k and median rank of the right candidates.

A question has one right candidate or several; its rank is that of the best of them, 1 being first.
Candidates with equal scores stand in any order: with g wrong ones above, and e wrong and r right
ones equal to the best right one, the expected rank is 1 + g + e / (r + 1). So a network that finds
all alike is given no credit for it.

    recall@k   the share of the questions whose rank is k at most
    chance     the same for a random order: of n candidates r are right, and the first k hold none
               of them with probability C(n - r, k) / C(n, k)
    commonest  the same for one order for all questions, the commonest answers first: where one
               answer is right for many, that is much

Who does not look at the question has the larger of these two.
"""

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from dragoman.core.errors import DataError
from dragoman.metrics.share import wilson_interval

FIRST = (1, 5, 10)
"""How many of the first candidates are looked at."""

Ranks = NDArray[np.float64]
Scores = NDArray[np.float32] | NDArray[np.float64]
Right = NDArray[np.bool_]


@dataclass(frozen=True)
class Retrieval:
    """Retrieval metrics of some queries, beside chance."""

    questions: int
    candidates: int
    recall: dict[int, float]
    """By how many of the first candidates are looked at."""

    intervals: dict[int, tuple[float, float]]
    """Of each recall, at 95 % (Wilson)."""

    chance: dict[int, float]
    """What a random order would give."""

    commonest: dict[int, float]
    """What the commonest answers would give, whatever the question."""

    blind: dict[int, float]
    """The larger of these two, which any recall must beat."""

    median_rank: float
    chance_median: float


def ranks(scores: Scores, right: Right) -> Ranks:
    """Return the rank of the best right candidate of each question: q c, q c -> q."""
    if scores.shape != right.shape or not right.any(axis=1).all():
        raise DataError("ranks: every question needs a score for each candidate, and an answer.")
    best = np.where(right, scores, -np.inf).max(axis=1, keepdims=True)  # q 1
    above = (scores > best).sum(axis=1)
    equal = scores == best
    wrong, fine = (equal & ~right).sum(axis=1), (equal & right).sum(axis=1)
    return 1 + above + wrong / (fine + 1)


def chance_of(candidates: int, right: int, first: int) -> float:
    """Return how often a right candidate is among the first of a random order."""
    if first >= candidates:
        return 1.0
    return 1 - comb(candidates - right, first) / comb(candidates, first)


def retrieval(scores: Scores, right: Right) -> Retrieval:
    """Judge how candidates were scored for each question: q c, q c."""
    found = ranks(scores, right)
    questions, candidates = scores.shape
    answers, times = np.unique(right.sum(axis=1), return_counts=True)
    shares = [*zip(answers.tolist(), (times / questions).tolist(), strict=True)]
    chance = {
        first: sum(share * chance_of(candidates, count, first) for count, share in shares)
        for first in FIRST
    }
    by_count = np.argsort(-right.sum(axis=0), kind="stable")
    commonest = {first: float(right[:, by_count[:first]].any(axis=1).mean()) for first in FIRST}
    hits = {first: int(np.count_nonzero(found <= first)) for first in FIRST}
    return Retrieval(
        questions=questions,
        candidates=candidates,
        recall={first: count / questions for first, count in hits.items()},
        intervals={first: wilson_interval(count, questions) for first, count in hits.items()},
        chance=chance,
        commonest=commonest,
        blind={first: max(chance[first], commonest[first]) for first in FIRST},
        median_rank=float(np.median(found)),
        chance_median=sum(share * (candidates + 1) / (count + 1) for count, share in shares),
    )
