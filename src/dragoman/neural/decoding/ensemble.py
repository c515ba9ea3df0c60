"""Several models that speak as one: the mean of their probabilities.

The members may be of any families, with states of any kind; they share the two vocabularies. Where
one of them is mistaken the others outvote it; the work is that of all of them together.
"""

import math
from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from dragoman.neural.decoding.protocol import AttentionTracking, Bounded, NextToken

States = tuple[Any, ...]
"""One state for each member."""


class Ensemble:
    """A `NextToken` made of others; each steps for itself, then they are asked for their mean."""

    def __init__(self, members: Sequence[NextToken[Any]]) -> None:
        if not members:
            raise ValueError("an ensemble needs at least one member.")
        self.members = tuple(members)

    def begin(self, source: Int[Tensor, "b s"]) -> States:
        """Let every member read the sources."""
        return tuple(member.begin(source) for member in self.members)

    def room(self, source: Int[Tensor, "b s"]) -> Int[Tensor, " b"] | None:
        """Return the least room of those members that have a limit."""
        rooms = [member.room(source) for member in self.members if isinstance(member, Bounded)]
        known = [room for room in rooms if room is not None]
        return torch.stack(known).amin(0) if known else None

    def step(self, tokens: Int[Tensor, " n"], state: States) -> tuple[Float[Tensor, "n v"], States]:
        """Return the log of the mean of the members' probabilities."""
        steps = [m.step(tokens, own) for m, own in zip(self.members, state, strict=True)]
        together = torch.stack([log_probs for log_probs, _ in steps])  # members n v
        mean = together.logsumexp(0) - math.log(len(self.members))
        return mean, tuple(after for _, after in steps)

    def track_attention(self, state: States) -> States | None:
        """Have every member keep its attention weights, if all can."""
        both = zip(self.members, state, strict=True)
        tracking = [
            m.track_attention(own) if isinstance(m, AttentionTracking) else None for m, own in both
        ]
        return None if any(own is None for own in tracking) else tuple(tracking)

    def last_attention(self, state: States) -> Float[Tensor, "n s"]:
        """Return the mean of the members' attention weights."""
        both = zip(self.members, state, strict=True)
        attended = [m.last_attention(own) for m, own in both if isinstance(m, AttentionTracking)]
        return torch.stack(attended).mean(0)

    def reorder(self, state: States, rows: Int[Tensor, " m"]) -> States:
        """Reorder every member's rows."""
        return tuple(m.reorder(own, rows) for m, own in zip(self.members, state, strict=True))
