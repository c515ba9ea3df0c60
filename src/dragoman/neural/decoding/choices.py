"""One step of any search: ask the model, forbid what is forbidden, keep the likeliest tokens.

The network runs on its device; the bookkeeping of a search is a few numbers per row and stays on
the processor, in float64, so that long sums keep their digits.
"""

import torch
from jaxtyping import Float, Float64, Int
from torch import Tensor

from dragoman.core.errors import DivergedError
from dragoman.neural.decoding.forced_prefix import FREE, only_forced
from dragoman.neural.decoding.guards import FOR_ALL, RowRules, apply_guards
from dragoman.neural.decoding.protocol import NextToken, State
from dragoman.neural.decoding.rules import Rules
from dragoman.neural.decoding.top import top


def likeliest(
    model: NextToken[State],
    state: State,
    prefixes: Int[Tensor, "n t"],
    device: torch.device,
    rules: Rules,
    told: Int[Tensor, " n"] | None = None,
    wanted: Int[Tensor, "n w"] | None = None,
    own: RowRules = FOR_ALL,
) -> tuple[Float64[Tensor, "n c"], Int[Tensor, "n c"], State]:
    """Return the `beam` best next tokens of each row, likeliest first, and the state after it.

    A row that is told its token has that one alone; the others of it have minus infinity. What is
    wanted comes after the best, whatever the guards say; -1 is no token and has minus infinity.
    Some rows have rules of their own.
    """
    rows, length = prefixes.shape
    last = prefixes[:, -1] if length else torch.full((rows,), rules.start)
    log_probs, state = model.step(last.to(device), state)
    left = apply_guards(log_probs, prefixes, rules, own)
    if told is not None:
        left = only_forced(left, log_probs, told)
    values, tokens = top(left, rules.beam)
    if wanted is not None:
        values, tokens = _with_wanted(values, tokens, log_probs, wanted, told)
    values, tokens = values.cpu().double(), tokens.cpu()
    if values.isnan().any():
        raise DivergedError(
            "decoding: the model's log-probabilities are not numbers (NaN). "
            "Its weights are damaged or diverged; use an earlier checkpoint."
        )
    return values, tokens, state


def _with_wanted(
    values: Float[Tensor, "n c"],
    tokens: Int[Tensor, "n c"],
    log_probs: Float[Tensor, "n v"],
    wanted: Int[Tensor, "n w"],
    told: Int[Tensor, " n"] | None,
) -> tuple[Float[Tensor, "n m"], Int[Tensor, "n m"]]:
    """Put the wanted tokens behind the best, at the model's own price."""
    wanted = wanted.to(log_probs.device)
    none = wanted.lt(0)
    if told is not None:
        none = none | told.to(log_probs.device).ne(FREE).unsqueeze(1)
    price = log_probs.gather(1, wanted.clamp(min=0)).masked_fill(none, -torch.inf)
    return torch.cat([values, price], dim=1), torch.cat([tokens, wanted], dim=1)
