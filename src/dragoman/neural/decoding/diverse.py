"""Diverse beam search: groups that keep out of each other's way (Vijayakumar et al. 2016).

    group 1   the cat ── sat           Each group is a small beam search of its own. In each step
    group 2   the cat ── was           the groups choose one after the other, and a token that
    group 3   a cat ──── sat           earlier groups have just chosen costs `diversity` for each
                                       place that has it: their Hamming diversity.

The price decides what lives on and nothing else: log-probabilities and scores are the model's own.
A group is a line of the beams as if it were a sentence, side by side with the others of its own.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from jaxtyping import Bool, Float64, Int
from torch import Tensor

from dragoman.core.errors import ConfigError
from dragoman.neural.decoding.beam import Beams, Growth
from dragoman.neural.decoding.protocol import Hypothesis, NextToken
from dragoman.neural.decoding.rules import Rules


class DiverseGrowth(Growth):
    """The likeliest of each group live on, but what earlier groups choose is less likely."""

    def __init__(self, rules: Rules, groups: int, strength: float) -> None:
        if rules.beam % groups:
            raise ConfigError(
                f"decoding.groups: a beam of {rules.beam} does not part into {groups} equal "
                f"groups. Use a decoding.beam that is a multiple of {groups}."
            )
        places = rules.beam // groups
        super().__init__(replace(rules, beam=places, nbest=min(rules.nbest, places)))
        # A row's best tokens: others have chosen at most beam - places of them, so that as many
        # as a group can take are left at their own price.
        self.asked = rules
        self.lines, self.strength = groups, strength

    def start(self, model: NextToken[Any], source: Int[Tensor, "b s"]) -> Any:
        """Let the model read each source once, for all its groups."""
        rows = torch.arange(len(source), device=source.device)
        return model.reorder(model.begin(source), rows.repeat_interleave(self.lines))

    def grow(
        self, beams: Beams, values: Float64[Tensor, "n c"], tokens: Int[Tensor, "n c"], state: Any
    ) -> tuple[Beams, Tensor]:
        """Let the groups of each sentence choose, one after the other."""
        candidates = beams.candidates(values)
        shape = (-1, self.lines, candidates.shape[1])  # sentences, groups, continuations
        priced, every = candidates.view(shape).clone(), tokens.view(shape)
        picked: list[Tensor] = []
        for group in range(self.lines):
            best = priced[:, group].topk(min(self.rules.beam, shape[2]), dim=1)
            chosen = every[:, group].gather(1, best.indices)
            chosen = chosen.masked_fill(
                best.values.isneginf(), -1
            )  # an empty place has chosen none
            same = every[:, group + 1 :, :, None] == chosen[:, None, None, :]
            priced[:, group + 1 :] -= self.strength * same.sum(-1)
            picked.append(best.indices)
        return beams.take(torch.stack(picked, dim=1).flatten(0, 1), candidates, tokens)

    def leaving(self, done: Bool[Tensor, " a"]) -> Bool[Tensor, " a"]:
        """Let the groups of a sentence leave together, so that they stay side by side."""
        return done.view(-1, self.lines).all(1).repeat_interleave(self.lines)

    def answers(self, found: list[list[Hypothesis]]) -> list[list[Hypothesis]]:
        """Return the outputs of each sentence: the best of each group, then their second best …"""
        first_lines = range(0, len(found), self.lines)
        return [merge_groups(found[at : at + self.lines], self.asked.nbest) for at in first_lines]


def merge_groups(found: Sequence[Sequence[Hypothesis]], nbest: int) -> list[Hypothesis]:
    """Return what the groups of a sentence have found, best first.

    An output that several groups have found stands once, so that there may be fewer than asked for.
    """
    taken: dict[tuple[int, ...], Hypothesis] = {}
    for round_ in range(max(map(len, found), default=0)):
        of_this = [outputs[round_] for outputs in found if len(outputs) > round_]
        for one in sorted(of_this, key=_rank):
            if len(taken) < nbest:
                taken.setdefault(one.tokens, one)
    return sorted(taken.values(), key=_rank)


def _rank(one: Hypothesis) -> tuple[bool, float]:
    return not one.finished, -one.score
