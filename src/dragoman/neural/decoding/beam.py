"""Beam search: let the likeliest `beam` prefixes of each sentence grow side by side.

    places      step 1      step 2        the beam holds the best candidates of a step,
    ─ START ─┬─ the ──┬──── the cat       ended or not; the ended ones retire to the results,
             ├─ a     └──── the dog       and the next step fills their places again.
             └─ END ✓       (empty)

The beam of a batch is a rectangle of sentences by places, one row of the model each. A place with
total minus infinity is empty. One `reorder` a step picks the parents and drops the sentences that
are done. A beam of one place is greedy search.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float64, Int
from torch import Tensor

from dragoman.neural.decoding.choices import likeliest
from dragoman.neural.decoding.forced import told_now
from dragoman.neural.decoding.protocol import Hypothesis, NextToken, State
from dragoman.neural.decoding.rules import Rules


def beam_search(
    model: NextToken[State],
    source: Int[Tensor, "b s"],
    longest: Int[Tensor, " b"],
    rules: Rules,
    told: Int[Tensor, "b p"] | None = None,
) -> list[list[Hypothesis]]:
    """Return the `nbest` best outputs of each source that begin as told, best first."""
    results = Results(len(longest), rules)
    beams = Beams.begin(longest)
    state = model.begin(source)
    while len(beams.sentences):
        rows = beams.prefixes.flatten(0, 1)
        now = None if told is None else told_now(told, beams.rows, beams.length)
        values, tokens, state = likeliest(model, state, rows, source.device, rules, now)
        grown, parents = beams.grow(values, tokens, rules.beam)
        results.collect_stuck(beams, grown)
        results.collect_ended(grown)
        done = results.done(grown)
        results.collect_cut(grown, done)
        kept = (~done).nonzero().squeeze(1)
        beams = grown.select(kept)
        if len(kept):
            state = model.reorder(state, parents[kept].flatten().to(source.device))
    return results.best


@dataclass(slots=True)
class Beams:
    """The prefixes that still grow: `a` sentences by `k` places, `t` tokens each."""

    sentences: Int[Tensor, " a"]
    """Which sentence of the batch each line of the rectangle is."""

    longest: Int[Tensor, " a"]
    prefixes: Int[Tensor, "a k t"]
    totals: Float64[Tensor, "a k"]
    """Log-probability of each prefix; minus infinity where the place is empty."""

    @classmethod
    def begin(cls, longest: Int[Tensor, " b"]) -> "Beams":
        """Give each sentence one place with the empty prefix."""
        count = len(longest)
        prefixes = torch.empty((count, 1, 0), dtype=torch.long)
        totals = torch.zeros((count, 1), dtype=torch.float64)
        return cls(torch.arange(count), longest, prefixes, totals)

    @property
    def length(self) -> int:
        """Tokens of every prefix, END included where it has come."""
        return self.prefixes.shape[2]

    @property
    def rows(self) -> Int[Tensor, " n"]:
        """The sentence of each place, all in one line."""
        return self.sentences.repeat_interleave(self.totals.shape[1])

    def grow(
        self, values: Float64[Tensor, "n c"], tokens: Int[Tensor, "n c"], beam: int
    ) -> "tuple[Beams, Tensor]":
        """Keep the `beam` best one-token continuations; return them and their parents' rows."""
        count, places = self.totals.shape
        choices = values.shape[1]
        candidates = (self.totals.flatten()[:, None] + values).view(count, places * choices)
        totals, picked = candidates.topk(min(beam, places * choices), dim=1)  # a, k
        first_rows = torch.arange(count)[:, None] * places
        parents = first_rows + picked // choices
        chosen = tokens.view(count, places * choices).gather(1, picked)
        history = self.prefixes.flatten(0, 1)[parents]  # a, k, t
        prefixes = torch.cat([history, chosen[..., None]], dim=2)
        return Beams(self.sentences, self.longest, prefixes, totals), parents

    def select(self, lines: Int[Tensor, " m"]) -> "Beams":
        """Keep the named sentences."""
        return Beams(
            self.sentences[lines], self.longest[lines], self.prefixes[lines], self.totals[lines]
        )


class Results:
    """What has been found for each sentence: finished outputs first, then by score."""

    def __init__(self, sentences: int, rules: Rules) -> None:
        self.best: list[list[Hypothesis]] = [[] for _ in range(sentences)]
        self.rules = rules
        self._to_beat = torch.full((sentences,), -torch.inf, dtype=torch.float64)

    def collect_ended(self, beams: Beams) -> None:
        """Retire the prefixes that have just ended, and empty their places."""
        ended = beams.prefixes[..., -1] == self.rules.end
        for line, place in (ended & ~beams.totals.isneginf()).nonzero().tolist():
            sentence = int(beams.sentences[line])
            self._add(sentence, beams, (line, place), finished=True)
            found = self.best[sentence]
            if len(found) == self.rules.nbest:
                self._to_beat[sentence] = found[-1].score
        beams.totals[ended] = -torch.inf

    def collect_cut(self, beams: Beams, done: Bool[Tensor, " a"]) -> None:
        """Where too few have ended at the longest length, take the unfinished as they are."""
        for line in done.nonzero().squeeze(1).tolist():
            self._take_unfinished(beams, line)

    def collect_stuck(self, before: Beams, after: Beams) -> None:
        """Where no prefix can grow (the model allows no token), take them as they were."""
        for line in after.totals.isneginf().all(1).nonzero().squeeze(1).tolist():
            self._take_unfinished(before, line)

    def done(self, beams: Beams) -> Bool[Tensor, " a"]:
        """Say which sentences cannot better their results any more.

        Log-probabilities only fall and the length only grows up to the longest, so a prefix with
        log-probability l cannot end with a score above l / longest ** length_penalty.
        """
        reach = beams.totals.amax(1) / beams.longest.double() ** self.rules.length_penalty
        return (reach <= self._to_beat[beams.sentences]) | (beams.longest <= beams.length)

    def _take_unfinished(self, beams: Beams, line: int) -> None:
        """Fill up the results of a sentence with its live prefixes, the likeliest first."""
        sentence = int(beams.sentences[line])
        missing = self.rules.nbest - len(self.best[sentence])
        live = (~beams.totals[line].isneginf()).nonzero().squeeze(1).tolist()
        for place in live[: max(missing, 0)]:
            self._add(sentence, beams, (line, place), finished=False)

    def _add(self, sentence: int, beams: Beams, at: tuple[int, int], *, finished: bool) -> None:
        tokens = beams.prefixes[at].tolist()
        total = beams.totals[at].item()
        text = tokens[:-1] if finished else tokens
        found = self.best[sentence]
        found.append(self.rules.hypothesis(text, total, finished=finished))
        found.sort(key=lambda each: (not each.finished, -each.score))
        del found[self.rules.nbest :]
