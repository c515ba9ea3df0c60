"""Sampling: draw each next token at random, as likely as the model and the filters make it.

    step ─ log-probabilities ─ filters ─ draw ─▶ a token for each row, handed out at once
      ▲                                   │
      └── rows that have not ended ◀──────┘

A text that has ended leaves the batch, so that the model works only for the others. Each row has a
random number of its own in every step, ended or not: when one text ends, no other text changes.
"""

from collections.abc import Callable, Iterator, Sequence

import torch
from jaxtyping import Float, Float64, Int
from torch import Tensor

from dragoman.config.sampling import SamplingSettings
from dragoman.core.errors import DivergedError
from dragoman.neural.decoding.filters import apply_filters
from dragoman.neural.decoding.protocol import NextToken, State

NOTHING = -1
"""Stands where a row has ended earlier, or where no token may come."""

Stop = Callable[[int, Sequence[int]], bool]
"""Told a row and all tokens drawn for it, says whether its text is to end there; asked after the
last of them has been handed out."""


def sample(
    model: NextToken[State],
    state: State,
    first_tokens: Int[Tensor, "b p"],
    settings: SamplingSettings,
    uniforms: torch.Generator | Float64[Tensor, "b t"],
    *,
    end: int,
    forbidden: Sequence[int] = (),
    stop: Stop | None = None,
) -> Iterator[Int[Tensor, " b"]]:
    """Draw texts and hand out their tokens step by step, one for each row and END among them.

    `first_tokens` is what each text begins with, padded on the left with its own first token. The
    last token of each is still to be read, all others are in the state; the repetition penalty
    counts each of them once, so that this padding changes nothing. The random numbers come from
    a generator, or stand ready for each text, one for each step.
    """
    if end in forbidden:
        raise ValueError(f"token {end} is END and cannot be forbidden: nothing would ever end.")
    count = len(first_tokens)
    live = torch.arange(count)  # which row of the batch each row of the state is
    texts: list[list[int]] = [[] for _ in range(count)]
    before = first_tokens
    for length in range(settings.max_tokens):
        if not len(live):
            return
        banned = [*forbidden, end] if length < settings.min_tokens else forbidden
        with torch.inference_mode():  # never around a yield: it would reach the caller
            log_probs, state = model.step(before[:, -1], state)
            scores = apply_filters(log_probs, before, settings, banned)
            uniform = _uniforms(uniforms, count, length)[live]
            drawn = choose(scores, settings, uniform)
        tokens = torch.full((count,), NOTHING)
        tokens[live] = drawn
        yield tokens
        for row, token in zip(live.tolist(), drawn.tolist(), strict=True):
            texts[row].append(token)
        kept = _rows_that_go_on(live, texts, end, stop)
        with torch.inference_mode():
            rows = kept.to(before.device)
            before = torch.cat([before, drawn[:, None].to(before.device)], dim=1)[rows]
            if 0 < len(kept) < len(live):
                state = model.reorder(state, rows)
        live = live[kept]


def sample_token(scores: Float[Tensor, "n v"], uniform: Float64[Tensor, " n"]) -> Int[Tensor, " n"]:
    """Turn a random number from 0 to 1 into a token of each row, by its probability."""
    reached = scores.double().softmax(dim=1).cumsum(dim=1)
    whole = reached[:, -1]
    below = torch.nextafter(whole, torch.zeros_like(whole))  # rounding must not reach past the end
    aim = (uniform.to(whole.device) * whole).minimum(below)
    return torch.searchsorted(reached, aim[:, None], right=True).squeeze(1)


def _uniforms(
    uniforms: torch.Generator | Float64[Tensor, "b t"], count: int, step: int
) -> Float64[Tensor, " b"]:
    """Return the random numbers of a step, one for each row, ended or not."""
    if isinstance(uniforms, Tensor):
        return uniforms[:, step]
    on = uniforms.device
    return torch.rand(count, dtype=torch.float64, generator=uniforms, device=on).cpu()


def choose(
    scores: Float[Tensor, "n v"], settings: SamplingSettings, uniform: Float64[Tensor, " n"]
) -> Int[Tensor, " n"]:
    """Choose a token for each live row, likeliest or drawn; NOTHING where none may come."""
    if scores.isnan().any():
        raise DivergedError(
            "sampling: the model's log-probabilities are not numbers (NaN). "
            "Its weights are damaged or diverged; use an earlier checkpoint."
        )
    stuck = scores.isneginf().all(1)
    if settings.temperature == 0.0:
        chosen = scores.argmax(1)
    else:
        chosen = sample_token(scores.masked_fill(stuck[:, None], 0.0), uniform)
    return chosen.masked_fill(stuck, NOTHING).cpu()


def _rows_that_go_on(
    live: Int[Tensor, " n"], texts: list[list[int]], end: int, stop: Stop | None
) -> Int[Tensor, " m"]:
    """Find the places in `live` of the texts that have not ended."""
    going = [
        place
        for place, row in enumerate(live.tolist())
        if texts[row][-1] not in (end, NOTHING) and not (stop is not None and stop(row, texts[row]))
    ]
    return torch.tensor(going, dtype=torch.long)
