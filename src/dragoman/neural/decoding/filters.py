"""Filters of the next token's scores: each takes scores and gives scores.

Scores are log-probabilities, or anything that differs from them by a number for each row; a token
that may not come has minus infinity.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor

from dragoman.config.sampling import SamplingSettings


def apply_filters(
    scores: Float[Tensor, "n v"],
    before: Int[Tensor, "n t"],
    settings: SamplingSettings,
    forbidden: Sequence[int] = (),
) -> Float[Tensor, "n v"]:
    """Pass scores through every filter that the settings ask for, in the usual order."""
    left = penalize(scores, before, settings.repetition_penalty)
    left = forbid(left, forbidden)
    if settings.temperature == 0.0:
        return left  # the likeliest is taken, and no later filter takes that away
    left = left / settings.temperature
    if settings.top_k:
        left = keep_top_k(left, settings.top_k)
    if settings.top_p < 1.0:
        left = keep_top_p(left, settings.top_p)
    return left


def penalize(
    scores: Float[Tensor, "n v"], before: Int[Tensor, "n t"], penalty: float
) -> Float[Tensor, "n v"]:
    """Make what has come before less likely: a score below zero is multiplied, another divided."""
    if penalty == 1.0:
        return scores
    had = scores.gather(1, before)
    return scores.scatter(1, before, torch.where(had < 0, had * penalty, had / penalty))


def forbid(scores: Float[Tensor, "n v"], tokens: Sequence[int]) -> Float[Tensor, "n v"]:
    """Let these tokens never come."""
    if not tokens:
        return scores
    return scores.index_fill(1, torch.tensor(tokens, device=scores.device), -torch.inf)


def keep_top_k(scores: Float[Tensor, "n v"], count: int) -> Float[Tensor, "n v"]:
    """Keep the `count` likeliest tokens of each row, and what is as likely as the last of them."""
    least = scores.topk(min(count, scores.shape[1]), dim=1).values[:, -1:]
    return scores.masked_fill(scores < least, -torch.inf)


def keep_top_p(scores: Float[Tensor, "n v"], probability: float) -> Float[Tensor, "n v"]:
    """Keep the fewest likeliest tokens of each row that have this probability together."""
    order = scores.argsort(dim=1)  # the least likely first: small numbers are added up exactly
    reached = scores.gather(1, order).softmax(dim=1).cumsum(dim=1)
    spare = reached <= 1 - probability
    spare[:, -1] = False
    return scores.masked_fill(spare.scatter(1, order, spare), -torch.inf)
