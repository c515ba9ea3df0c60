"""The one door to every search."""

from collections.abc import Sequence

import torch
from jaxtyping import Int
from torch import Tensor

from dragoman.config.training import DecodingSettings
from dragoman.core.errors import ConfigError
from dragoman.neural.decoding.beam import beam_search
from dragoman.neural.decoding.forced import told_tokens
from dragoman.neural.decoding.greedy import greedy_search
from dragoman.neural.decoding.protocol import Bounded, Hypothesis, NextToken, State
from dragoman.neural.decoding.rules import Rules


def search(  # noqa: PLR0913 - the one door has a handle for everything
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
) -> list[list[Hypothesis]]:
    """Look for the best outputs of a padded batch of sources.

    Each sentence may take as many steps as its own length allows, the one for END included, so
    that the company it is in changes nothing, and no more than the model has positions for. The
    lists come in the order of the batch, each with the best first: outputs that ended, by score,
    then those that were cut at the longest length.

    With `prefixes` each sentence's output begins with its own tokens. They are part of the output
    and of its log-probability, guards do not apply to them, and at least `longest_extra` steps are
    left after them.
    """
    if not 1 <= nbest <= settings.beam:
        raise ConfigError(
            f"decoding: {nbest} outputs per sentence asked of a beam of {settings.beam}. "
            f"Use decoding.beam={max(nbest, 1)} or ask for fewer."
        )
    if end in forbidden:
        raise ValueError(f"token {end} is END and cannot be forbidden: nothing would ever end.")
    rules = Rules(
        start=start,
        end=end,
        forbidden=tuple(forbidden),
        beam=settings.beam,
        nbest=nbest,
        length_penalty=settings.length_penalty,
        no_repeat=settings.no_repeat,
        loop_guard=settings.loop_guard,
    )
    longest = longest_lengths(lengths, settings)
    if not len(longest):
        return []
    told = None
    if prefixes is not None and any(map(len, prefixes)):
        told = told_tokens(prefixes, end)
        both = zip(longest.tolist(), prefixes, strict=True)
        longest = torch.tensor([max(n, len(p) + settings.longest_extra) for n, p in both])
    room = model.room(source) if isinstance(model, Bounded) else None
    if room is not None:
        longest = longest.minimum(room.cpu())
    look = greedy_search if settings.beam == 1 else beam_search
    with torch.inference_mode():
        return look(model, source, longest, rules, told)


def longest_lengths(
    lengths: Sequence[int] | Int[Tensor, " b"], settings: DecodingSettings
) -> Int[Tensor, " b"]:
    """Return the steps each sentence may take: a ratio of its length, and some more."""
    counts = lengths.tolist() if isinstance(lengths, Tensor) else lengths
    ratio, extra = settings.longest_ratio, settings.longest_extra
    return torch.tensor([int(ratio * count) + extra for count in counts], dtype=torch.long)
