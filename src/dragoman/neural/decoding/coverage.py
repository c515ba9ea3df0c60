"""Coverage penalty: for source positions that an output has not attended to (Wu et al. 2016).

    cp = β Σ_j log min(Σ_i p_ij, 1)        p_ij: how much step i attended to source position j

It is added to the score of an output that is done, so that of two about as likely the one wins that
has left nothing out. It is never above nought: what holds of the best score that a prefix can still
reach holds with it too. Which prefixes live on is not its affair.
"""

from dataclasses import replace
from typing import Any

import torch
from jaxtyping import Float64, Int
from torch import Tensor

from dragoman.core.errors import ConfigError
from dragoman.neural.decoding.beam import Beams, Growth
from dragoman.neural.decoding.protocol import AttentionTracking, Hypothesis, NextToken

LEAST = torch.finfo(torch.float32).tiny
"""What was never looked at counts as this much, for the logarithm of nought is no number."""


def coverage(attended: Float64[Tensor, "... s"]) -> Float64[Tensor, "..."]:
    """Return Σ_j log min(attended_j, 1)."""
    return attended.clamp(min=LEAST, max=1.0).log().sum(-1)


class CoverageGrowth(Growth):
    """Another growth, with the coverage penalty on its outputs."""

    def __init__(self, growth: Growth, model: NextToken[Any], strength: float) -> None:
        super().__init__(growth.rules)
        if not isinstance(model, AttentionTracking):
            raise _cannot_tell()
        self.growth, self.model, self.strength = growth, model, strength
        self.asked, self.lines = growth.asked, growth.lines
        self.positions = 0

    def start(self, model: NextToken[Any], source: Int[Tensor, "b s"]) -> Any:
        """Let the model read the sources, and track its attention from then on."""
        self.positions = source.shape[1]
        state = self.model.track_attention(self.growth.start(model, source))
        if state is None:
            raise _cannot_tell()
        return state

    def first(self, beams: Beams) -> Beams:
        """Note that nothing has been attended to."""
        beams = self.growth.first(beams)
        attended = torch.zeros((*beams.totals.shape, self.positions), dtype=torch.float64)
        return replace(beams, notes=(*beams.notes, attended))

    def wanted(self, beams: Beams) -> Int[Tensor, "n w"] | None:
        """Want what the other growth wants."""
        return self.growth.wanted(beams)

    def grow(
        self, beams: Beams, values: Float64[Tensor, "n c"], tokens: Int[Tensor, "n c"], state: Any
    ) -> tuple[Beams, Tensor]:
        """Grow as the other growth does, and note what its chosen parents have attended to."""
        before = beams.notes[-1].flatten(0, 1)  # n s
        attended = before + self.model.last_attention(state).cpu().double()
        grown, parents = self.growth.grow(beams, values, tokens, state)
        return replace(grown, notes=(*grown.notes, attended[parents])), parents

    def leaving(self, done: Tensor) -> Tensor:
        """Leave as the other growth does."""
        return self.growth.leaving(done)

    def answers(self, found: list[list[Hypothesis]]) -> list[list[Hypothesis]]:
        """Answer as the other growth does."""
        return self.growth.answers(found)

    def hypothesis(self, beams: Beams, at: tuple[int, int], *, finished: bool) -> Hypothesis:
        """Return the output of the other growth, its score less the coverage penalty."""
        plain = self.growth.hypothesis(beams, at, finished=finished)
        penalty = self.strength * coverage(beams.notes[-1][at]).item()
        return replace(plain, score=plain.score + penalty)


def _cannot_tell() -> ConfigError:
    return ConfigError(
        "decoding.coverage_penalty needs a model that tells where in the source it looks: a "
        "Transformer, "
        "or a recurrent one with attention. Set decoding.coverage_penalty=0."
    )
