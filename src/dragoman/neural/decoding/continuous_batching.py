"""Continuous batching of a beam search: sentences join and leave between any two steps.

    add ─▶ a line of the beam for each sentence ─ step ─▶ the hypotheses of those that are finished
             ▲                                      │
             └────────── those that go on ◀─────────┘

A sentence is searched as it would be alone. Its first token stands wherever the others are by then,
so lines are as wide as the oldest of them: what stands before a line's own tokens is START and,
before that, numbers that are no tokens and differ from each other, so that no guard takes them for
something that comes again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Generic

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from dragoman.neural.decoding.beam import Beams, Growth, Results
from dragoman.neural.decoding.choices import likeliest
from dragoman.neural.decoding.guards import FOR_ALL, RowRules
from dragoman.neural.decoding.protocol import Hypothesis, JoinableTranslator, State
from dragoman.neural.decoding.rules import Rules


class ContinuousBeamSearch(Generic[State]):
    """A beam search that sentences join while it is under way; a `ContinuousBatch`."""

    def __init__(
        self, model: JoinableTranslator[State], rules: Rules, device: torch.device, *, max_rows: int
    ) -> None:
        self.model, self.rules, self.device = model, rules, device
        self._growth = Growth(rules)
        self._results = Results(max_rows, self._growth)
        self._free = list(range(max_rows))
        self._running: tuple[Beams, State] | None = None
        self._no_repeat: dict[int, int] = {}
        """Size of the n-grams that may not repeat, where a sentence has its own."""
        self._may_stutter: set[int] = set()
        """Sentences that the stutter guard leaves alone."""
        self._early: dict[int, list[Hypothesis]] = {}
        """Hypotheses of sentences that ended with their first token, before the next step."""

    @property
    def free(self) -> int:
        """How many more sentences may be added."""
        return len(self._free)

    @torch.inference_mode()
    def add(
        self,
        source: Int[Tensor, "b s"],
        longest: Int[Tensor, " b"],
        no_repeat: Sequence[int] = (),
        may_stutter: Sequence[bool] = (),
    ) -> list[int]:
        """Add padded sources whose outputs may be so long; return their numbers.

        With `no_repeat` n-grams of this size may not repeat in a sentence's output, besides what
        the rules forbid in all. The stutter guard, if the rules have one, leaves those alone that
        `may_stutter`.
        """
        numbers = self._free[: len(source)]
        self._no_repeat |= {one: n for one, n in zip(numbers, no_repeat, strict=False) if n}
        self._may_stutter |= {
            one for one, free in zip(numbers, may_stutter, strict=False) if free
        } | self._excused(numbers, source)
        try:
            lines, state = _first(numbers, longest, self.rules.start), self.model.begin(source)
            beams, state, done = self._step(lines, state)
            if beams is not None:
                self._join(beams, state)
        except BaseException:
            for number in numbers:
                self._release(number)
            raise
        self._early |= done
        self._free = self._free[len(source) :]
        return numbers

    @torch.inference_mode()
    def step(self) -> dict[int, list[Hypothesis]]:
        """Take one step with every sentence; return the hypotheses of those that are finished."""
        done: dict[int, list[Hypothesis]] = {}
        if self._running is not None:
            beams, state, done = self._step(*self._running)
            self._running = None if beams is None else (beams, state)
        done, self._early = self._early | done, {}
        self._free += done
        return done

    @torch.inference_mode()
    def remove(self, numbers: Iterable[int]) -> None:
        """Drop sentences before they are finished."""
        gone = set(numbers)
        early = gone & self._early.keys()
        self._early = {own: found for own, found in self._early.items() if own not in early}
        self._free += early
        if self._running is None or gone.isdisjoint(self._running[0].sentences.tolist()):
            return
        beams, state = self._running
        count, places = beams.totals.shape
        rows = torch.arange(count * places).view(count, places)
        leaving = torch.tensor([number in gone for number in beams.sentences.tolist()])
        left, state = self._select(beams, rows, state, leaving)
        self._running = None if left is None else (left, state)
        for number in beams.sentences[leaving].tolist():
            self._release(number)
            self._free.append(number)

    def clear(self) -> None:
        """Drop all sentences, whatever state they are in."""
        self._running, self._early, self._no_repeat, self._may_stutter = None, {}, {}, set()
        self._free = list(range(len(self._results.best)))
        for number in self._free:
            self._results.forget(number)

    def _step(
        self, beams: Beams, state: State
    ) -> tuple[Beams | None, State, dict[int, list[Hypothesis]]]:
        rows = beams.prefixes.flatten(0, 1)
        values, tokens, state = likeliest(
            self.model,
            state,
            rows,
            self.device,
            self._growth.asked,
            own=self._row_rules(beams),
        )
        grown, parents = self._growth.grow(beams, values, tokens, state)
        done = self._results.collect(beams, grown)
        left, state = self._select(*_fill_places(grown, parents, self.rules.beam), state, done)
        return left, state, {one: self._release(one) for one in grown.sentences[done].tolist()}

    def _join(self, new: Beams, begun: State) -> None:
        if self._running is None:
            self._running = new, begun
            return
        beams, state = self._running
        self._running = _concatenate(beams, new), self.model.join((state, begun))

    def _select(
        self, beams: Beams, parents: Int[Tensor, "a k"], state: State, leaving: Bool[Tensor, " a"]
    ) -> tuple[Beams | None, State]:
        """Go on with the other lines, from their parents' rows; nothing, where all leave."""
        kept = (~leaving).nonzero().squeeze(1)
        if not len(kept):
            return None, state
        rows = parents[kept].flatten().to(self.device)
        return _trim_left(beams.select(kept)), self.model.reorder(state, rows)

    def _excused(self, numbers: Sequence[int], source: Int[Tensor, "b s"]) -> set[int]:
        """Return the sentences whose source doubles something itself."""
        if self.rules.stutter_guard is None:
            return set()
        excused = self.rules.stutter_guard.excused(source).tolist()
        return {one for one, free in zip(numbers, excused, strict=True) if free}

    def _row_rules(self, beams: Beams) -> RowRules:
        """Return what holds for some rows only."""
        if not self._no_repeat and not self._may_stutter:
            return FOR_ALL
        rows = beams.rows.tolist()
        sizes = torch.tensor([self._no_repeat.get(one, 0) for one in rows])
        strict = {
            size: (sizes == size).nonzero().squeeze(1) for size in {*self._no_repeat.values()}
        }
        return RowRules(strict, torch.tensor([one in self._may_stutter for one in rows]))

    def _release(self, number: int) -> list[Hypothesis]:
        self._no_repeat.pop(number, None)
        self._may_stutter.discard(number)
        return self._results.forget(number)


def _first(numbers: Sequence[int], longest: Int[Tensor, " b"], start: int) -> Beams:
    """Give each sentence one place, with nothing but START."""
    count = len(numbers)
    return Beams(
        torch.tensor(numbers),
        longest,
        torch.full((count, 1, 1), start),
        torch.zeros((count, 1), dtype=torch.float64),
        before=torch.ones(count, dtype=torch.long),
    )


def _fill_places(
    beams: Beams, parents: Int[Tensor, "a k"], places: int
) -> tuple[Beams, Int[Tensor, "a p"]]:
    """Give each line as many places as all have, if the vocabulary is smaller than the beam."""
    missing = places - beams.totals.shape[1]
    if not missing:
        return beams, parents
    empty = beams.totals.new_full((len(parents), missing), -torch.inf)
    prefixes = beams.prefixes[:, :1].expand(-1, missing, -1)
    wider = replace(
        beams,
        prefixes=torch.cat((beams.prefixes, prefixes), dim=1),
        totals=torch.cat((beams.totals, empty), dim=1),
    )
    return wider, torch.cat((parents, parents[:, :1].expand(-1, missing)), dim=1)


def _concatenate(beams: Beams, new: Beams) -> Beams:
    """Put new lines below others; what fills either up on the left could be no token."""
    width = max(beams.length, new.length)
    beams, new = _pad_left(beams, width), _pad_left(new, width)
    return Beams(
        torch.cat((beams.sentences, new.sentences)),
        torch.cat((beams.longest, new.longest)),
        torch.cat((beams.prefixes, new.prefixes)),
        torch.cat((beams.totals, new.totals)),
        before=torch.cat((_offsets(beams), _offsets(new))),
    )


def _pad_left(beams: Beams, width: int) -> Beams:
    missing = width - beams.length
    nothing = (-1 - torch.arange(missing)).expand(*beams.totals.shape, missing)
    prefixes = torch.cat((nothing, beams.prefixes), dim=2)
    return replace(beams, prefixes=prefixes, before=_offsets(beams) + missing)


def _trim_left(beams: Beams) -> Beams:
    """Leave out what stands before the START of all lines."""
    spare = int(_offsets(beams).min()) - 1
    if not spare:
        return beams
    return replace(beams, prefixes=beams.prefixes[:, :, spare:], before=_offsets(beams) - spare)


def _offsets(beams: Beams) -> Int[Tensor, " a"]:
    return torch.zeros_like(beams.sentences) if beams.before is None else beams.before
