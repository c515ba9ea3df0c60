"""Outputs by sampling, with what they cost the model.

Each draw has random numbers of its own, one for each step, which follow from the seed, from its
number and from the source: neither the other draws nor the other sources of the batch change it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Float64, Int
from torch import Tensor

from dragoman.config.sampling import SamplingSettings
from dragoman.neural.decoding.protocol import Hypothesis, NextToken
from dragoman.neural.decoding.rules import Rules
from dragoman.neural.decoding.sampling import NOTHING, sample


def sample_outputs(
    model: NextToken[Any],
    source: Int[Tensor, "b s"],
    longest: Int[Tensor, " b"],
    rules: Rules,
    settings: SamplingSettings,
    uniforms: Float64[Tensor, "b n t"],
) -> list[list[Hypothesis]]:
    """Draw `n` outputs of each source, in the order of their random numbers."""
    count = uniforms.shape[1]
    with torch.inference_mode():
        rows = torch.arange(len(source), device=source.device).repeat_interleave(count)
        listening = _Listening(model)
        state = model.reorder(model.begin(source), rows)
        first = torch.full((len(rows), 1), rules.start, device=source.device)
    room = [min(int(steps), settings.max_tokens) for steps in longest for _ in range(count)]
    most = max(room, default=1)
    bounds = {"max_tokens": most, "min_tokens": min(settings.min_tokens, most)}
    steps = sample(
        listening,
        state,
        first,
        settings.model_copy(update=bounds),
        uniforms.flatten(0, 1),
        end=rules.end,
        forbidden=rules.forbidden,
        stop=lambda row, tokens: len(tokens) >= room[row],
    )
    texts: list[list[int]] = [[] for _ in rows]
    totals = [0.0] * len(rows)
    live = list(range(len(rows)))
    for tokens in steps:
        drawn = tokens[live]
        price = listening.heard.cpu().double().gather(1, drawn.clamp(min=0).unsqueeze(1))
        for row, token, cost in zip(live, drawn.tolist(), price.flatten().tolist(), strict=True):
            texts[row].append(token)
            totals[row] += 0.0 if token == NOTHING else cost
        ended = (rules.end, NOTHING)
        live = [r for r in live if texts[r][-1] not in ended and len(texts[r]) < room[r]]
    outputs = [
        rules.hypothesis(
            [token for token in text if token not in (rules.end, NOTHING)],
            total,
            finished=text[-1:] == [rules.end],
        )
        for text, total in zip(texts, totals, strict=True)
    ]
    return [outputs[at : at + count] for at in range(0, len(outputs), count)]


def random_numbers(
    sources: Sequence[Sequence[int]], *, seed: int, count: int, steps: int
) -> Float64[Tensor, "b n t"]:
    """Return random numbers from 0 to 1 for `count` draws of each source."""
    numbers = np.empty((len(sources), count, steps))
    for row, source in enumerate(sources):
        for draw in range(count):
            numbers[row, draw] = np.random.default_rng([seed, draw, *source]).random(steps)
    return torch.from_numpy(numbers)


class _Listening:
    """A model that keeps the log-probabilities of its last step, before any filter."""

    heard: Float[Tensor, "n v"]

    def __init__(self, model: NextToken[Any]) -> None:
        self.model = model

    def begin(self, source: Int[Tensor, "b s"]) -> Any:
        return self.model.begin(source)

    def step(self, tokens: Int[Tensor, " n"], state: Any) -> tuple[Float[Tensor, "n v"], Any]:
        self.heard, state = self.model.step(tokens, state)
        return self.heard, state

    def reorder(self, state: Any, rows: Int[Tensor, " m"]) -> Any:
        return self.model.reorder(state, rows)
