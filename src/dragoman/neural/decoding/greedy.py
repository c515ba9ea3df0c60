"""Greedy search: take the likeliest token, again and again.

A sentence that has ended leaves the batch at once, so that the model works only for the others.
"""

import torch
from jaxtyping import Int
from torch import Tensor

from dragoman.neural.decoding.choices import likeliest
from dragoman.neural.decoding.forced_prefix import forced_now
from dragoman.neural.decoding.guards import FOR_ALL, RowRules
from dragoman.neural.decoding.protocol import Hypothesis, NextToken, State
from dragoman.neural.decoding.rules import Rules


def greedy_search(
    model: NextToken[State],
    source: Int[Tensor, "b s"],
    longest: Int[Tensor, " b"],
    rules: Rules,
    told: Int[Tensor, "b p"] | None = None,
) -> list[list[Hypothesis]]:
    """Return the greedy output of each source, in order, after the tokens it is told."""
    outputs: list[list[Hypothesis]] = [[] for _ in longest]
    sentences = torch.arange(len(longest))  # which sentence each row belongs to
    prefixes = torch.empty((len(longest), 0), dtype=torch.long)
    totals = torch.zeros(len(longest), dtype=torch.float64)
    state = model.begin(source)
    excused = None if rules.stutter_guard is None else rules.stutter_guard.excused(source)

    while len(sentences):
        now = None if told is None else forced_now(told, sentences, prefixes.shape[1])
        own = FOR_ALL if excused is None else RowRules(may_stutter=excused[sentences])
        values, tokens, state = likeliest(
            model, state, prefixes, source.device, rules, now, own=own
        )
        stuck = values[:, 0].isneginf()  # nothing may follow: keep what there is
        ended = (tokens[:, 0] == rules.end) & ~stuck
        grows = ~(ended | stuck)
        totals = torch.where(stuck, totals, totals + values[:, 0])
        grown = torch.cat([prefixes, tokens[:, :1]], dim=1)
        done = ~grows | (longest[sentences] <= grown.shape[1])

        for row in done.nonzero().squeeze(1).tolist():
            text = (grown if grows[row] else prefixes)[row].tolist()
            best = rules.hypothesis(text, totals[row].item(), finished=bool(ended[row]))
            outputs[int(sentences[row])].append(best)

        rows = (~done).nonzero().squeeze(1)
        sentences, prefixes, totals = sentences[rows], grown[rows], totals[rows]
        if 0 < len(rows) < len(done):
            state = model.reorder(state, rows.to(source.device))
    return outputs
