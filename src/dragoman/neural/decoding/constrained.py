"""Beam search for outputs that hold given phrases (Post & Vilar 2018; Hu et al. 2019).

    owed  0    … a b c d ─┐
          1    … b c ─────┤  a bank for each number of tokens that are still owed; each bank gives
          2    … a ───────┤  its best, the banks that owe least first, then all their second best,
          3    … e f ─────┘  until the beam is full

Without banks an unlikely phrase would never live to its end beside likelier prefixes. Besides the
likeliest tokens each row may take any token that begins a phrase it owes or goes on with one,
whatever the guards say. END may come when nothing is owed. What owes least has its place in every
beam, so that all phrases come as soon as there is room; where there is not, the output that was cut
tells how many constraints it lacks.

No phrase is begun after the end of the last sentence (`sentence_ends`): an output that has come
there and still owes something may only end. It then lacks constraints too, and is the answer if
nothing better ends.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from jaxtyping import Bool, Float64, Int
from torch import Tensor

from dragoman.neural.decoding.beam import Beams, Growth
from dragoman.neural.decoding.phrases import Constraints, PhraseTries
from dragoman.neural.decoding.protocol import Hypothesis
from dragoman.neural.decoding.rules import Rules
from dragoman.neural.decoding.sentence_ends import SentenceEnds


class ConstrainedGrowth(Growth):
    """The best of each bank live on. Notes of a place: its node among the phrases, what it met."""

    def __init__(
        self, rules: Rules, constraints: Sequence[Constraints], ends: SentenceEnds | None = None
    ) -> None:
        super().__init__(rules)
        self.ends = ends or SentenceEnds(sentences=[1] * len(constraints))
        self.asked = replace(rules, beam=rules.beam + 1)  # one of them may be an END too early
        self.phrases = PhraseTries(constraints, start=rules.start)

    def first(self, beams: Beams) -> Beams:
        """Note that nothing is met but what is not asked for."""
        nodes = self.phrases.begun[beams.sentences].unsqueeze(1)
        met = self.phrases.shortest[beams.sentences].eq(0).unsqueeze(1)
        return replace(beams, notes=(nodes, met))

    def wanted(self, beams: Beams) -> Int[Tensor, "n w"] | None:
        """Look at every token of a row's phrases, and at END, which may be all that is left."""
        tokens = self.phrases.tokens[beams.rows]
        return torch.cat([tokens, torch.full((len(tokens), 1), self.rules.end)], dim=1)

    def grow(
        self, beams: Beams, values: Float64[Tensor, "n c"], tokens: Int[Tensor, "n c"], state: Any
    ) -> tuple[Beams, Tensor]:
        """Keep the best of every bank."""
        nodes, met = (note.flatten(0, 1) for note in beams.notes[:2])  # n · n m
        rows, choices = tokens.shape
        after = self.phrases.move(nodes.unsqueeze(1).expand(rows, choices), tokens)
        met_after = met.unsqueeze(1) | self.phrases.met(after)  # n c m
        shortest = self.phrases.shortest[beams.rows].unsqueeze(1).expand(met_after.shape)
        owed = self.phrases.owed(after, met_after, shortest)

        over = self._over(beams, nodes, met, tokens).unsqueeze(1)
        end = tokens.eq(self.rules.end)
        early = end & ~over & ~met.all(1, keepdim=True)
        late = over & ~(end | self.ends.may_follow(tokens))
        wanted = self.phrases.tokens.shape[1] + 1  # the last ones of each row
        spare = ~self.phrases.useful(after, met.unsqueeze(1).expand(met_after.shape))
        spare = (spare & ~(end & over)) | _twice(values, tokens, wanted)
        spare[:, : choices - wanted] = False
        candidates = beams.candidates(values.masked_fill(early | late | spare, -torch.inf))
        picked = best_of_banks(candidates, owed.view(candidates.shape), self.rules.beam)
        grown, parents = beams.take(picked, candidates, tokens)
        lines = torch.arange(len(picked)).unsqueeze(1)
        notes = (
            after.view(candidates.shape)[lines, picked],
            met_after.view(*candidates.shape, -1)[lines, picked],
        )
        return replace(grown, notes=notes), parents

    def _over(
        self,
        beams: Beams,
        nodes: Int[Tensor, " n"],
        met: Bool[Tensor, "n m"],
        tokens: Int[Tensor, "n c"],
    ) -> Bool[Tensor, " n"]:
        """Say which rows owe something and are at the end of their last sentence.

        A phrase that has been begun may be brought to its end.
        """
        prefixes = beams.prefixes.flatten(0, 1)
        ended = self.ends.ended(prefixes, beams.rows, tokens[:, 0].eq(self.rules.end))
        return ended & ~met.all(1) & ~self.phrases.useful(nodes, met)

    def hypothesis(self, beams: Beams, at: tuple[int, int], *, finished: bool) -> Hypothesis:
        """Return the output at a place, with how many constraints it lacks."""
        plain = super().hypothesis(beams, at, finished=finished)
        return replace(plain, unmet=int((~beams.notes[1][at]).sum()))


def best_of_banks(
    candidates: Float64[Tensor, "a m"], owed: Int[Tensor, "a m"], beam: int
) -> Int[Tensor, "a k"]:
    """Pick the best of each bank, then the second best …; those that owe least come first."""
    order = candidates.argsort(dim=1, descending=True, stable=True)
    order = order.gather(1, owed.gather(1, order).argsort(dim=1, stable=True))
    banks = owed.gather(1, order)  # bank by bank, each with its best first
    place = torch.arange(banks.shape[1]).expand(banks.shape)
    begins = torch.ones_like(banks, dtype=torch.bool)
    begins[:, 1:] = banks[:, 1:] != banks[:, :-1]
    rank = place - place.masked_fill(~begins, 0).cummax(dim=1).values
    turn = rank * (int(banks.max()) + 1) + banks if banks.numel() else rank
    turn = turn.masked_fill(candidates.gather(1, order).isneginf(), 1 << 60)
    chosen = turn.argsort(dim=1, stable=True)[:, :beam].sort(dim=1).values
    return order.gather(1, chosen)


def _twice(values: Float64[Tensor, "n c"], tokens: Int[Tensor, "n c"], wanted: int) -> Tensor:
    """Mark the wanted tokens, the last in each row, that stand among the likeliest already."""
    likeliest = tokens.shape[1] - wanted
    had = tokens[:, :likeliest].masked_fill(values[:, :likeliest].isneginf(), -1)
    same = tokens[:, likeliest:, None] == had[:, None, :]
    twice = torch.zeros_like(tokens, dtype=torch.bool)
    twice[:, likeliest:] = same.any(-1)
    return twice
