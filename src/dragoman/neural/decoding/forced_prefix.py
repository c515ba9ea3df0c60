"""Beginnings that an output must have: tokens that are told and not looked for.

While tokens are told, a row has one way on: its own next token, at the model's own price. Guards
and forbidden tokens have no say in it. Where a sentence's tokens have ended, the search is free.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor

FREE = -1
"""Stands where nothing is told."""


def forced_tokens(prefixes: Sequence[Sequence[int]], end: int) -> Int[Tensor, "b p"]:
    """Lay the beginnings side by side, filled up with FREE."""
    if any(token == end or token < 0 for prefix in prefixes for token in prefix):
        raise ValueError(f"a prefix holds END (token {end}) or a number that is no token.")
    told = torch.full((len(prefixes), max(map(len, prefixes), default=0)), FREE)
    for row, prefix in zip(told, prefixes, strict=True):
        row[: len(prefix)] = torch.tensor(prefix, dtype=torch.long)
    return told


def forced_now(
    told: Int[Tensor, "b p"], sentences: Int[Tensor, " n"], step: int
) -> Int[Tensor, " n"] | None:
    """Return the token that each row must take in this step, or None where all are free."""
    if step >= told.shape[1]:
        return None
    tokens = told[sentences, step]
    return tokens if tokens.ne(FREE).any() else None


def only_forced(
    left: Float[Tensor, "n v"], log_probs: Float[Tensor, "n v"], tokens: Int[Tensor, " n"]
) -> Float[Tensor, "n v"]:
    """Leave a row that is told its token no other, and the other rows as they are."""
    tokens = tokens.to(left.device)
    rows = tokens.ne(FREE).nonzero().squeeze(1)
    only = left.index_fill(0, rows, -torch.inf)
    only[rows, tokens[rows]] = log_probs[rows, tokens[rows]]
    return only
