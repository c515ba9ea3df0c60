"""The trace of a beam search: what it held from step to step, as a tree.

    0 START ─┬─ 1 the ──┬── 4 the cat ── …      a candidate that entered the beam has a number,
             ├─ 2 a     └── 5 the dog           and knows whom it came from
             └─ 3 END ✓

Seeing changes nothing: the growth that is watched decides as it would alone, and the outputs are
the same, bit for bit. The groups of a diverse beam hang side by side on one START.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import torch
from jaxtyping import Float64, Int
from torch import Tensor

from dragoman.neural.decoding.beam import Beams, Growth
from dragoman.neural.decoding.protocol import Hypothesis, NextToken

NOBODY = -1
"""Stands where a place of the beam is empty."""


@dataclass(slots=True)
class Candidate:
    """A prefix that entered the beam."""

    parent: int | None
    """The number of the prefix that it has one token more than; START has none."""

    step: int
    """How many tokens it has, END included."""

    token: int
    """The last of them; START's own is not asked for."""

    total: float
    """Its log-probability: the model's own, whatever the search adds."""

    output: Hypothesis | None = None
    """What the search made of it, where it was taken for a result."""


@dataclass(slots=True)
class SentenceTrace:
    """The candidates of one sentence; each stands after the one that it came from."""

    candidates: list[Candidate]
    best: int | None = None
    """The number of the one that won."""

    @property
    def path(self) -> list[int]:
        """The numbers from START to the one that won."""
        return [] if self.best is None else self.way_to(self.best)

    def way_to(self, number: int) -> list[int]:
        """Return the numbers from START to a candidate."""
        way: list[int] = []
        at: int | None = number
        while at is not None:
            way.append(at)
            at = self.candidates[at].parent
        return way[::-1]

    def tokens(self, number: int) -> list[int]:
        """Return the tokens of a candidate, END included."""
        return [self.candidates[at].token for at in self.way_to(number)[1:]]


@dataclass(slots=True)
class Trace:
    """The trace of a search, sentence by sentence; empty until it is given to one."""

    sentences: list[SentenceTrace] = field(default_factory=list)


class TracingGrowth(Growth):
    """Another growth, whose beams are noted. The last note of a place is its number."""

    def __init__(self, growth: Growth, trace: Trace) -> None:
        super().__init__(growth.rules)
        self.growth, self.trace = growth, trace
        self.asked, self.lines = growth.asked, growth.lines

    def start(self, model: NextToken[Any], source: Int[Tensor, "b s"]) -> Any:
        """Let the model read the sources; each of them has a START."""
        first = [Candidate(None, 0, self.rules.start, 0.0) for _ in source]
        self.trace.sentences = [SentenceTrace([one]) for one in first]
        return self.growth.start(model, source)

    def first(self, beams: Beams) -> Beams:
        """Note that every line begins with START, which has the number 0."""
        begun = torch.zeros(beams.totals.shape, dtype=torch.long)
        return _noted(self.growth.first(beams), begun)

    def wanted(self, beams: Beams) -> Int[Tensor, "n w"] | None:
        """Want what the other growth wants."""
        return self.growth.wanted(_without(beams))

    def grow(
        self, beams: Beams, values: Float64[Tensor, "n c"], tokens: Int[Tensor, "n c"], state: Any
    ) -> tuple[Beams, Tensor]:
        """Grow as the other growth does, and give each candidate that lives a number."""
        grown, parents = self.growth.grow(_without(beams), values, tokens, state)
        before = beams.notes[-1].flatten()[parents]  # a k
        return _noted(grown, self._enter(grown, before)), parents

    def leaving(self, done: Tensor) -> Tensor:
        """Leave as the other growth does."""
        return self.growth.leaving(done)

    def answers(self, found: list[list[Hypothesis]]) -> list[list[Hypothesis]]:
        """Answer as the other growth does, and note who won."""
        answers = self.growth.answers(found)
        for traced, outputs in zip(self.trace.sentences, answers, strict=True):
            for number, one in enumerate(traced.candidates):
                if outputs and one.output is outputs[0]:
                    traced.best = number
        return answers

    def hypothesis(self, beams: Beams, at: tuple[int, int], *, finished: bool) -> Hypothesis:
        """Return the output of the other growth, and note whose it is."""
        output = self.growth.hypothesis(_without(beams), at, finished=finished)
        candidate = self._of(int(beams.sentences[at[0]])).candidates[int(beams.notes[-1][at])]
        candidate.output = output
        return output

    def _enter(self, grown: Beams, before: Int[Tensor, "a k"]) -> Int[Tensor, "a k"]:
        numbers = torch.full(grown.totals.shape, NOBODY, dtype=torch.long)
        for line, place in (~grown.totals.isneginf()).nonzero().tolist():
            candidates = self._of(int(grown.sentences[line])).candidates
            numbers[line, place] = len(candidates)
            candidates.append(
                Candidate(
                    parent=int(before[line, place]),
                    step=grown.length,
                    token=int(grown.prefixes[line, place, -1]),
                    total=grown.totals[line, place].item(),
                )
            )
        return numbers

    def _of(self, line: int) -> SentenceTrace:
        return self.trace.sentences[line // self.lines]


def _noted(beams: Beams, numbers: Int[Tensor, "a k"]) -> Beams:
    return replace(beams, notes=(*beams.notes, numbers))


def _without(beams: Beams) -> Beams:
    """Return beams as the other growth knows them."""
    return replace(beams, notes=beams.notes[:-1])
