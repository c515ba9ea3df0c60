"""Ranking metrics: area under the ROC curve, and the best threshold.

The area under the curve of true against false positives (ROC) is the probability that something
right, drawn by chance, has a higher score than something wrong; equal scores count half. With R
right and W wrong ones, and ranks from 1 for the lowest score, equal scores sharing their mean rank:

    AUC  =  ( Σ ranks of the right  −  R (R + 1) / 2 )  /  (R · W)

That is the statistic of Mann and Whitney (1947), divided by the number of pairs. 0.5 is chance.
"""

from collections.abc import Sequence
from itertools import groupby

from dragoman.core.errors import DataError


def area_under_curve(scores: Sequence[float], right: Sequence[bool]) -> float:
    """Return how often something right has a higher score than something wrong."""
    _check(scores, right)
    below, total = 0, 0.0  # those with a lower score; the ranks of the right ones
    order = sorted(zip(scores, right, strict=True))
    for _, group in groupby(order, key=lambda pair: pair[0]):
        equal = [is_right for _, is_right in group]
        total += sum(equal) * (below + (len(equal) + 1) / 2)
        below += len(equal)
    count = sum(right)
    return (total - count * (count + 1) / 2) / (count * (len(right) - count))


def best_threshold(scores: Sequence[float], right: Sequence[bool]) -> float:
    """Return the score from which on to call things right, so that most are called what they are.

    It lies midway between two scores; of equally good ones the lowest is taken.
    """
    _check(scores, right)
    order = sorted(zip(scores, right, strict=True))
    found = best = sum(right)  # all called right
    threshold = order[0][0] - 1.0
    for place, (score, is_right) in enumerate(order[:-1], 1):
        found += 1 - 2 * is_right
        following = order[place][0]
        if found > best and following > score:
            best, threshold = found, (score + following) / 2
    if found + 1 - 2 * order[-1][1] > best:  # all called wrong
        threshold = order[-1][0] + 1.0
    return threshold


def _check(scores: Sequence[float], right: Sequence[bool]) -> None:
    if len(scores) != len(right) or all(right) or not any(right):
        raise DataError(
            f"ranking: {len(scores)} scores for {len(right)} things, {sum(right)} of them right; "
            "each must have a score, and there must be right and wrong ones."
        )
