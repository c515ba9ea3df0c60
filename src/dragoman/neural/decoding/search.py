"""Decoding: the entry point of every search."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from dragoman.config.training import DecodingSettings
from dragoman.core.errors import ConfigError
from dragoman.neural.decoding.beam import Growth, beam_search
from dragoman.neural.decoding.beam_trace import Trace, TracingGrowth
from dragoman.neural.decoding.constrained import ConstrainedGrowth
from dragoman.neural.decoding.continuous_batching import ContinuousBeamSearch
from dragoman.neural.decoding.coverage import CoverageGrowth
from dragoman.neural.decoding.diverse import DiverseGrowth
from dragoman.neural.decoding.forced_prefix import forced_tokens
from dragoman.neural.decoding.greedy import greedy_search
from dragoman.neural.decoding.output_sampling import random_numbers, sample_outputs
from dragoman.neural.decoding.phrases import Constraints, check_constraints
from dragoman.neural.decoding.protocol import (
    Bounded,
    Hypothesis,
    JoinableLanguageModel,
    JoinableTranslator,
    NextToken,
    State,
)
from dragoman.neural.decoding.rules import Rules
from dragoman.neural.decoding.sentence_ends import SentenceEnds
from dragoman.neural.decoding.stutter import StutterGuard


def search(  # noqa: PLR0913 - one entry point for every search
    model: NextToken[State],
    source: Int[Tensor, "b s"],
    lengths: Sequence[int] | Int[Tensor, " b"],
    settings: DecodingSettings,
    *,
    start: int,
    end: int,
    forbidden: Sequence[int] = (),
    nbest: int = 1,
    prefixes: Sequence[Sequence[int]] | None = None,
    constraints: Sequence[Constraints] | None = None,
    sentence_ends: SentenceEnds | None = None,
    trace: Trace | None = None,
    stutter_guard: StutterGuard | None = None,
) -> list[list[Hypothesis]]:
    """Look for the best outputs of a padded batch of sources.

    Each sentence may take as many steps as its own length allows, the one for END included, so
    that the company it is in changes nothing, and no more than the model has positions for. The
    lists come in the order of the batch, each with the best first: outputs that ended, by score,
    then those that were cut at the longest length.

    With `prefixes` each sentence's output begins with its own tokens. They are part of the output
    and of its log-probability, guards do not apply to them, and at least `longest_extra` steps are
    left after them.

    With `constraints` each sentence's output holds of each of its own constraints at least one
    phrase; guards do not apply to these tokens either, and at least `longest_extra` steps are left
    besides them. None is begun after the last of the `sentence_ends`. An output that ended there,
    or was cut before, says how many it does not meet.

    A `trace` is told all that the beam holds, and changes nothing. A `stutter_guard` keeps outputs
    from saying anything twice in a row, but for sentences whose source does.
    """
    if not 1 <= nbest <= settings.beam:
        raise ConfigError(
            f"decoding: {nbest} outputs per sentence asked of a beam of {settings.beam}. "
            f"Use decoding.beam={max(nbest, 1)} or ask for fewer."
        )
    if end in forbidden:
        raise ValueError(f"token {end} is END and cannot be forbidden: nothing would ever end.")
    longest = longest_lengths(lengths, settings)
    if not len(longest):
        return []
    told = None
    if prefixes is not None and any(map(len, prefixes)):
        told = forced_tokens(prefixes, end)
    if constraints is not None:
        check_constraints(constraints, start=start, end=end, forbidden=forbidden)
    given = _given(prefixes or [()] * len(longest), constraints or [()] * len(longest))
    longest = _within_room(model, source, longest.maximum(given + settings.max_length_extra))
    rules = replace(_rules(settings, start, end, forbidden, nbest), stutter_guard=stutter_guard)
    with torch.inference_mode():
        growth = _growth(model, settings, rules, constraints, sentence_ends)
        if trace is not None:
            growth = TracingGrowth(growth, trace)
        if settings.beam == 1 and type(growth) is Growth:
            return greedy_search(model, source, longest, rules, told)
        return beam_search(model, source, longest, rules, told, growth)


def sample_batch(
    model: NextToken[State],
    source: Int[Tensor, "b s"],
    lengths: Sequence[int] | Int[Tensor, " b"],
    settings: DecodingSettings,
    *,
    start: int,
    end: int,
    forbidden: Sequence[int] = (),
    count: int = 1,
) -> list[list[Hypothesis]]:
    """Draw `count` outputs of each source of a padded batch at random, as `sampling` says.

    What is drawn follows from the seed, from the source up to its length and from the number of the
    draw: the company it is in changes nothing. The log-probability is the model's own, before any
    filter. No output becomes longer than a search would let it.
    """
    longest = steps_for(model, source, lengths, settings)
    if not len(longest):
        return []
    counts = lengths.tolist() if isinstance(lengths, Tensor) else lengths
    sources = [row[:n] for row, n in zip(source.tolist(), counts, strict=True)]
    steps = min(int(longest.max()), settings.sampling.max_tokens)
    uniforms = random_numbers(sources, seed=settings.seed, count=count, steps=steps)
    rules = _rules(settings, start, end, forbidden, 1)
    return sample_outputs(model, source, longest, rules, settings.sampling, uniforms)


def continuous_search(
    model: NextToken[Any],
    settings: DecodingSettings,
    device: torch.device,
    *,
    start: int,
    end: int,
    forbidden: Sequence[int] = (),
    max_rows: int,
    stutter_guard: StutterGuard | None = None,
) -> ContinuousBeamSearch[Any] | None:
    """Begin a beam search with continuous batching; None where model or settings allow none."""
    plain = settings.search == "beam" and settings.groups == 1 and not settings.coverage_penalty
    # A decoder-only network would copy the KV cache of all rows whenever one joins.
    if isinstance(model, JoinableLanguageModel) or not isinstance(model, JoinableTranslator):
        return None
    rules = replace(_rules(settings, start, end, forbidden, 1), stutter_guard=stutter_guard)
    return ContinuousBeamSearch(model, rules, device, max_rows=max_rows) if plain else None


def steps_for(
    model: NextToken[Any],
    source: Int[Tensor, "b s"],
    lengths: Sequence[int] | Int[Tensor, " b"],
    settings: DecodingSettings,
) -> Int[Tensor, " b"]:
    """Return the steps each sentence may take with a model."""
    return _within_room(model, source, longest_lengths(lengths, settings))


def longest_lengths(
    lengths: Sequence[int] | Int[Tensor, " b"], settings: DecodingSettings
) -> Int[Tensor, " b"]:
    """Return the steps each sentence may take: a ratio of its length, and some more."""
    counts = lengths.tolist() if isinstance(lengths, Tensor) else lengths
    ratio, extra = settings.max_length_ratio, settings.max_length_extra
    return torch.tensor([int(ratio * count) + extra for count in counts], dtype=torch.long)


def _rules(
    settings: DecodingSettings, start: int, end: int, forbidden: Sequence[int], nbest: int
) -> Rules:
    return Rules(
        start=start,
        end=end,
        forbidden=tuple(forbidden),
        beam=settings.beam,
        nbest=nbest,
        length_penalty=settings.length_penalty,
        no_repeat=settings.no_repeat_ngram,
        loop_guard=settings.loop_guard,
    )


def _growth(
    model: NextToken[Any],
    settings: DecodingSettings,
    rules: Rules,
    constraints: Sequence[Constraints] | None,
    sentence_ends: SentenceEnds | None,
) -> Growth:
    """Return how the beams grow; coverage goes with every other way."""
    constrained = constraints is not None and any(map(len, constraints))
    if constrained and settings.groups > 1:
        raise ConfigError(
            "decoding.groups: words that must come and groups of the beam do not go together. "
            "Set decoding.groups=1."
        )
    growth = Growth(rules)
    if constraints is not None and constrained:
        growth = ConstrainedGrowth(rules, constraints, sentence_ends)
    elif settings.groups > 1:
        growth = DiverseGrowth(rules, settings.groups, settings.diversity_penalty)
    return (
        CoverageGrowth(growth, model, settings.coverage_penalty)
        if settings.coverage_penalty
        else growth
    )


def _given(
    prefixes: Sequence[Sequence[int]], constraints: Sequence[Constraints]
) -> Int[Tensor, " b"]:
    """Count the tokens of each output that are given: its beginning and its longest phrases."""
    return torch.tensor(
        [
            len(prefix) + sum(max(map(len, phrases)) for phrases in each)
            for prefix, each in zip(prefixes, constraints, strict=True)
        ]
    )


def _within_room(
    model: NextToken[Any], source: Int[Tensor, "b s"], longest: Int[Tensor, " b"]
) -> Int[Tensor, " b"]:
    room = model.room(source) if isinstance(model, Bounded) else None
    return longest if room is None else longest.minimum(room.cpu())
