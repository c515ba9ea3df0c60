"""One step of any search: ask the model, forbid what is forbidden, keep the likeliest tokens.

The network runs on its device; the bookkeeping of a search is a few numbers per row and stays on
the processor, in float64, so that long sums keep their digits.
"""

import torch
from jaxtyping import Float64, Int
from torch import Tensor

from dragoman.core.errors import DivergedError
from dragoman.neural.decoding.forced import only_told
from dragoman.neural.decoding.guards import allowed
from dragoman.neural.decoding.protocol import NextToken, State
from dragoman.neural.decoding.rules import Rules


def likeliest(
    model: NextToken[State],
    state: State,
    prefixes: Int[Tensor, "n t"],
    device: torch.device,
    rules: Rules,
    told: Int[Tensor, " n"] | None = None,
) -> tuple[Float64[Tensor, "n c"], Int[Tensor, "n c"], State]:
    """Return the `beam` best next tokens of each row, likeliest first, and the state after it.

    A row that is told its token has that one alone; the others of it have minus infinity.
    """
    rows, length = prefixes.shape
    last = prefixes[:, -1] if length else torch.full((rows,), rules.start)
    log_probs, state = model.step(last.to(device), state)
    left = allowed(log_probs, prefixes, rules)
    if told is not None:
        left = only_told(left, log_probs, told)
    values, tokens = left.topk(min(rules.beam, left.shape[1]), dim=1)
    values, tokens = values.cpu().double(), tokens.cpu()
    if values.isnan().any():
        raise DivergedError(
            "decoding: the model's log-probabilities are not numbers (NaN). "
            "Its weights are damaged or diverged; use an earlier checkpoint."
        )
    return values, tokens, state
