"""Beam search: let the likeliest `beam` prefixes of each sentence grow side by side.

    places      step 1      step 2        the beam holds the best candidates of a step,
    ─ START ─┬─ the ──┬──── the cat       ended or not; the ended ones retire to the results,
             ├─ a     └──── the dog       and the next step fills their places again.
             └─ END ✓       (empty)

The beam of a batch is a rectangle of sentences by places, one row of the model each. A place with
total minus infinity is empty. One `reorder` a step picks the parents and drops the sentences that
are done. A beam of one place is greedy search.

Which candidates of a step live on is the affair of a `Growth`: the likeliest of all, or what other
searches (`diverse`, `constrained`) make of it.
"""

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float64, Int
from torch import Tensor

from dragoman.neural.decoding.choices import likeliest
from dragoman.neural.decoding.forced_prefix import forced_now
from dragoman.neural.decoding.guards import FOR_ALL, RowRules
from dragoman.neural.decoding.protocol import Hypothesis, NextToken, State
from dragoman.neural.decoding.rules import Rules


def beam_search(
    model: NextToken[State],
    source: Int[Tensor, "b s"],
    longest: Int[Tensor, " b"],
    rules: Rules,
    told: Int[Tensor, "b p"] | None = None,
    growth: "Growth | None" = None,
) -> list[list[Hypothesis]]:
    """Return the `nbest` best outputs of each source that begin as told, best first."""
    growth = growth or Growth(rules)
    told = None if told is None else told.repeat_interleave(growth.lines, dim=0)
    state = growth.start(model, source)
    beams = growth.first(Beams.begin(longest.repeat_interleave(growth.lines)))
    results = Results(len(beams.sentences), growth)
    guard = rules.stutter_guard
    excused = None if guard is None else guard.excused(source).repeat_interleave(growth.lines)
    while len(beams.sentences):
        rows = beams.prefixes.flatten(0, 1)
        now = None if told is None else forced_now(told, beams.rows, beams.length)
        own = FOR_ALL if excused is None else RowRules(may_stutter=excused[beams.rows])
        values, tokens, state = likeliest(
            model, state, rows, source.device, growth.asked, now, growth.wanted(beams), own
        )
        grown, parents = growth.grow(beams, values, tokens, state)
        done = results.collect(beams, grown)
        kept = (~done).nonzero().squeeze(1)
        beams = grown.select(kept)
        if len(kept):
            state = model.reorder(state, parents[kept].flatten().to(source.device))
    return growth.answers(results.best)


@dataclass(slots=True)
class Beams:
    """The prefixes that still grow: `a` sentences by `k` places, `t` tokens each."""

    sentences: Int[Tensor, " a"]
    """Which sentence of the batch each line of the rectangle is."""

    longest: Int[Tensor, " a"]
    prefixes: Int[Tensor, "a k t"]
    totals: Float64[Tensor, "a k"]
    """Log-probability of each prefix; minus infinity where the place is empty."""

    notes: tuple[Tensor, ...] = ()
    """What a growth has noted of each place: tensors of `a` by `k` by anything."""

    before: Int[Tensor, " a"] | None = None
    """Columns before the first token of each line, where lines have begun at different times."""

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
    def lengths(self) -> Int[Tensor, " a"] | int:
        """Tokens of the prefixes of each line."""
        return self.length if self.before is None else self.length - self.before

    @property
    def rows(self) -> Int[Tensor, " n"]:
        """The sentence of each place, all in one line."""
        return self.sentences.repeat_interleave(self.totals.shape[1])

    def grow(
        self, values: Float64[Tensor, "n c"], tokens: Int[Tensor, "n c"], beam: int
    ) -> "tuple[Beams, Tensor]":
        """Keep the `beam` best one-token continuations; return them and their parents' rows."""
        candidates = self.candidates(values)
        picked = candidates.topk(min(beam, candidates.shape[1]), dim=1).indices  # a, k
        return self.take(picked, candidates, tokens)

    def candidates(self, values: Float64[Tensor, "n c"]) -> Float64[Tensor, "a m"]:
        """Return the log-probability of each continuation: `c` of each place, side by side."""
        return (self.totals.flatten()[:, None] + values).view(len(self.totals), -1)

    def take(
        self,
        picked: Int[Tensor, "a k"],
        candidates: Float64[Tensor, "a m"],
        tokens: Int[Tensor, "n c"],
    ) -> "tuple[Beams, Tensor]":
        """Let the picked continuations live; return them and their parents' rows."""
        count, places = self.totals.shape
        parents = torch.arange(count)[:, None] * places + picked // tokens.shape[1]
        chosen = tokens.view(count, -1).gather(1, picked)
        history = self.prefixes.flatten(0, 1)[parents]  # a, k, t
        prefixes = torch.cat([history, chosen[..., None]], dim=2)
        totals = candidates.gather(1, picked)
        grown = Beams(self.sentences, self.longest, prefixes, totals, before=self.before)
        return grown, parents

    def select(self, lines: Int[Tensor, " m"]) -> "Beams":
        """Keep the named sentences."""
        return Beams(
            self.sentences[lines],
            self.longest[lines],
            self.prefixes[lines],
            self.totals[lines],
            tuple(note[lines] for note in self.notes),
            None if self.before is None else self.before[lines],
        )


class Growth:
    """The growth of beams from step to step, and the score of outputs: the likeliest live on."""

    lines: int = 1
    """Lines of the beams for each sentence, side by side."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.asked = rules
        """By which the next tokens of each row are chosen; its beam says how many."""

    def start(self, model: NextToken[Any], source: Int[Tensor, "b s"]) -> Any:
        """Let the model read the sources; the state has a row for each line of the first beams."""
        return model.begin(source)

    def first(self, beams: Beams) -> Beams:
        """Note what there is to note of beams that are still empty."""
        return beams

    def wanted(self, beams: Beams) -> Int[Tensor, "n w"] | None:
        """Return tokens to be looked at in each row besides the likeliest; -1 stands for none."""
        return None

    def grow(
        self, beams: Beams, values: Float64[Tensor, "n c"], tokens: Int[Tensor, "n c"], state: Any
    ) -> tuple[Beams, Tensor]:
        """Choose the prefixes that live on; return them and their parents' rows."""
        return beams.grow(values, tokens, self.rules.beam)

    def leaving(self, done: Bool[Tensor, " a"]) -> Bool[Tensor, " a"]:
        """Say which lines leave the search, given which of them are done."""
        return done

    def answers(self, found: list[list[Hypothesis]]) -> list[list[Hypothesis]]:
        """Return the outputs of each sentence, given those of each line."""
        return found

    def hypothesis(self, beams: Beams, at: tuple[int, int], *, finished: bool) -> Hypothesis:
        """Return the output that stands at a place."""
        first = 0 if beams.before is None else int(beams.before[at[0]])
        tokens = beams.prefixes[at][first:].tolist()
        text = tokens[:-1] if finished else tokens
        return self.rules.hypothesis(text, beams.totals[at].item(), finished=finished)


class Results:
    """The results of each sentence: finished outputs first, then by score."""

    def __init__(self, sentences: int, growth: Growth) -> None:
        self.best: list[list[Hypothesis]] = [[] for _ in range(sentences)]
        self.growth = growth
        self.rules = growth.rules
        self._to_beat = torch.full((sentences,), -torch.inf, dtype=torch.float64)

    def collect(self, before: Beams, after: Beams) -> Bool[Tensor, " a"]:
        """Take what a step has brought to an end; return which lines leave the search."""
        self.collect_stuck(before, after)
        self.collect_ended(after)
        done = self.growth.leaving(self.done(after))
        self.collect_cut(after, done)
        return done

    def collect_ended(self, beams: Beams) -> None:
        """Retire the prefixes that have just ended, and empty their places."""
        ended = beams.prefixes[..., -1] == self.rules.end
        for line, place in (ended & ~beams.totals.isneginf()).nonzero().tolist():
            sentence = int(beams.sentences[line])
            self._add(sentence, beams, (line, place), finished=True)
            found = self.best[sentence]
            if len(found) == self.rules.nbest and not found[-1].unmet:
                self._to_beat[sentence] = found[-1].score
        beams.totals[ended] = -torch.inf

    def collect_cut(self, beams: Beams, done: Bool[Tensor, " a"]) -> None:
        """Take the unfinished as they are, where too few have ended at the longest length."""
        for line in done.nonzero().squeeze(1).tolist():
            self._take_unfinished(beams, line)

    def collect_stuck(self, before: Beams, after: Beams) -> None:
        """Take prefixes as they were, where none can grow (the model allows no token)."""
        for line in after.totals.isneginf().all(1).nonzero().squeeze(1).tolist():
            self._take_unfinished(before, line)

    def done(self, beams: Beams) -> Bool[Tensor, " a"]:
        """Say which sentences cannot better their results any more.

        Log-probabilities only fall and the length only grows up to the longest, so a prefix with
        log-probability l cannot end with a score above l / longest ** length_penalty.
        """
        reach = beams.totals.amax(1) / beams.longest.double() ** self.rules.length_penalty
        return (reach <= self._to_beat[beams.sentences]) | (beams.longest <= beams.lengths)

    def _take_unfinished(self, beams: Beams, line: int) -> None:
        """Fill up the results of a sentence with its live prefixes, the likeliest first."""
        sentence = int(beams.sentences[line])
        missing = self.rules.nbest - len(self.best[sentence])
        live = (~beams.totals[line].isneginf()).nonzero().squeeze(1).tolist()
        for place in live[: max(missing, 0)]:
            self._add(sentence, beams, (line, place), finished=False)

    def forget(self, sentence: int) -> list[Hypothesis]:
        """Return what was found for a sentence, and let another one have its number."""
        found, self.best[sentence] = self.best[sentence], []
        self._to_beat[sentence] = -torch.inf
        return found

    def _add(self, sentence: int, beams: Beams, at: tuple[int, int], *, finished: bool) -> None:
        found = self.best[sentence]
        found.append(self.growth.hypothesis(beams, at, finished=finished))
        found.sort(key=lambda each: (not each.finished, each.unmet, -each.score))
        del found[self.rules.nbest :]
