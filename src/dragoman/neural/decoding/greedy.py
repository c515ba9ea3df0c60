"""Greedy search: take the likeliest token, again and again.

A sentence that has ended leaves the batch at once, so that the model works only for the others.
"""

import torch
from jaxtyping import Int
from torch import Tensor

from dragoman.neural.decoding.choices import likeliest
from dragoman.neural.decoding.protocol import Hypothesis, NextToken, State
from dragoman.neural.decoding.rules import Rules


def greedy_search(
    model: NextToken[State],
    source: Int[Tensor, "b s"],
    longest: Int[Tensor, " b"],
    rules: Rules,
) -> list[list[Hypothesis]]:
    """Return the greedy output of each source, in order."""
    outputs: list[list[Hypothesis]] = [[] for _ in longest]
    sentences = torch.arange(len(longest))  # which sentence each row belongs to
    prefixes = torch.empty((len(longest), 0), dtype=torch.long)
    totals = torch.zeros(len(longest), dtype=torch.float64)
    state = model.begin(source)

    while len(sentences):
        values, tokens, state = likeliest(model, state, prefixes, source.device, rules)
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
