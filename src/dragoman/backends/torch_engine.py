"""Our own searches with our own networks, made ready as the settings ask.

A network that still learns is searched as it is. One whose training is over is copied once into a
quicker form, in 8 bits if wanted; and where there is a shortlist, each batch gets a small output of
its own, and the search runs in the numbers of that.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from dragoman.config.training import DecodingSettings
from dragoman.data.batching.batch import make_source
from dragoman.data.tokenizer.special_tokens import END, PAD, START, UNKNOWN
from dragoman.engine.build import TranslationModel
from dragoman.neural.adapt.fast_inference import Precision, narrow_output, quick
from dragoman.neural.decoding.beam_trace import Trace
from dragoman.neural.decoding.continuous_batching import ContinuousBeamSearch
from dragoman.neural.decoding.ensemble import Ensemble
from dragoman.neural.decoding.phrases import Constraints
from dragoman.neural.decoding.protocol import Hypothesis, NextToken
from dragoman.neural.decoding.search import continuous_search, sample_batch, search
from dragoman.neural.decoding.sentence_ends import SentenceEnds
from dragoman.neural.decoding.shortlist import Shortlist, ShortlistModel
from dragoman.neural.decoding.stutter import StutterGuard

Ids = Sequence[int]
FORBIDDEN = (PAD, START, UNKNOWN)
"""What never comes out."""


class TorchEngine:
    """From batches of source numbers to hypotheses, by one network or by several as one."""

    def __init__(
        self,
        models: Sequence[TranslationModel],
        device: torch.device,
        *,
        fixed: bool = False,
        shortlist: Callable[[int], Shortlist] | None = None,
        stutter_guard: Callable[[], StutterGuard | None] = lambda: None,
    ) -> None:
        self.models = tuple(models)
        self.device = device
        self.fixed = fixed
        """Whether the weights have come to rest, so that copies of them stay true."""
        self._ready = lru_cache(self._made_ready)
        self._shortlist = None if shortlist is None else lru_cache(shortlist)
        self._stutter_guard = cache(stutter_guard)

    def search(
        self,
        sources: Sequence[Ids],
        settings: DecodingSettings,
        nbest: int,
        prefixes: Sequence[Ids],
        constraints: Sequence[Constraints],
        ends: SentenceEnds | None = None,
        trace: Trace | None = None,
    ) -> list[list[Hypothesis]]:
        """Return the `nbest` outputs of each source that begin and hold as they must.

        What they must hold is not begun after the last of their sentence `ends`. A `trace` is told
        all that the beam holds, in the numbers of the vocabulary.
        """
        padded = padded_sources(sources, self.device)
        told = {token for each in prefixes for token in each}
        held = {token for each in constraints for ways in each for way in ways for token in way}
        room = _Room.of(self._listed(settings), padded, told | held)
        start, end, *forbidden = room.special_tokens
        found = search(
            self._speaker(settings, room),
            padded,
            source_lengths(sources),
            settings,
            start=start,
            end=end,
            forbidden=forbidden,
            nbest=nbest,
            prefixes=[[room.inside(token) for token in each] for each in prefixes],
            constraints=[
                [[[room.inside(token) for token in way] for way in ways] for ways in each]
                for each in constraints
            ],
            sentence_ends=None if ends is None else room.inside_ends(ends),
            trace=trace,
            stutter_guard=self._guard(settings, room),
        )
        if trace is not None:
            for candidate in (one for each in trace.sentences for one in each.candidates):
                candidate.token = room.entry(candidate.token)
        return [[room.outside(one) for one in each] for each in found]

    def sample_batch(
        self, sources: Sequence[Ids], settings: DecodingSettings, count: int
    ) -> list[list[Hypothesis]]:
        """Draw `count` outputs of each source at random."""
        padded = padded_sources(sources, self.device)
        room = _Room.of(self._listed(settings), padded, set())
        speaker, (start, end, *never) = self._speaker(settings, room), room.special_tokens
        found = sample_batch(
            speaker,
            padded,
            source_lengths(sources),
            settings,
            start=start,
            end=end,
            forbidden=never,
            count=count,
        )
        return [[room.outside(one) for one in each] for each in found]

    def continuous_search(
        self, settings: DecodingSettings, max_rows: int
    ) -> ContinuousBeamSearch[Any] | None:
        """Begin a search with continuous batching; None where model or settings allow none."""
        model, *others = self._ready(settings.precision)
        if others or settings.shortlist:
            return None
        return continuous_search(
            model,
            settings,
            self.device,
            start=START,
            end=END,
            forbidden=FORBIDDEN,
            max_rows=max_rows,
            stutter_guard=None if settings.stutter_guard == "off" else self._stutter_guard(),
        )

    def _guard(self, settings: DecodingSettings, room: "_Room") -> StutterGuard | None:
        guard = self._stutter_guard() if settings.stutter_guard == "always" else None
        return guard if guard is None or room.kept is None else guard.narrow(room.kept)

    def _listed(self, settings: DecodingSettings) -> Shortlist | None:
        if self._shortlist is None or not settings.shortlist:
            return None
        return self._shortlist(settings.shortlist)

    def _speaker(self, settings: DecodingSettings, room: "_Room") -> NextToken[Any]:
        models = self._ready(settings.precision)
        if room.kept is not None:
            models = tuple(narrow_output(model, room.kept) for model in models)
        speaker: NextToken[Any] = Ensemble(models) if len(models) > 1 else models[0]
        return speaker if room.kept is None else ShortlistModel(speaker, room.kept.to(self.device))

    def _made_ready(self, precision: Precision) -> tuple[TranslationModel, ...]:
        if not self.fixed:
            return self.models
        return tuple(quick(model, precision) for model in self.models)


def padded_sources(sources: Sequence[Ids], device: torch.device) -> Int[Tensor, "b s"]:
    """Return sources as one batch, each with its END."""
    return torch.from_numpy(make_source(sources)).to(device)


def source_lengths(sources: Sequence[Ids]) -> list[int]:
    """Return the tokens of each source, its END included."""
    return [len(ids) + 1 for ids in sources]


class _Room:
    """The target tokens that a search may use, numbered as it knows them."""

    def __init__(self, kept: Int[Tensor, " n"] | None) -> None:
        self.kept = kept
        self._entries = [] if kept is None else kept.tolist()
        self._places = {entry: place for place, entry in enumerate(self._entries)}

    @classmethod
    def of(cls, shortlist: Shortlist | None, source: Tensor, also: set[int]) -> "_Room":
        """Return the tokens that a batch of sources makes likely, or all."""
        if shortlist is None:
            return cls(None)
        return cls(shortlist.entries(source, sorted({PAD, UNKNOWN, START, END} | also)))

    @property
    def special_tokens(self) -> list[int]:
        """START, END, and what never comes out, as the search knows them."""
        return [self.inside(token) for token in (START, END, *FORBIDDEN)]

    def inside(self, token: int) -> int:
        """Return the number that the search knows a token by."""
        return token if self.kept is None else self._places[token]

    def inside_ends(self, ends: SentenceEnds) -> SentenceEnds:
        """Return sentence ends in the numbers of the search, without tokens that cannot come."""
        if self.kept is None:
            return ends
        finals, closers = (
            [self._places[token] for token in some if token in self._places]
            for some in (ends.finals, ends.closers)
        )
        return replace(ends, finals=finals, closers=closers)

    def entry(self, token: int) -> int:
        """Return the token of the vocabulary that a number of the search stands for."""
        return token if self.kept is None else self._entries[token]

    def outside(self, found: Hypothesis) -> Hypothesis:
        """Return an output of the search in the numbers of the vocabulary."""
        if self.kept is None:
            return found
        return replace(found, tokens=tuple(map(self.entry, found.tokens)))
