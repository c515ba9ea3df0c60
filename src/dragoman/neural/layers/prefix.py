"""Prefix tuning: keys and values that attention sees before those of any text (Li & Liang 2021).

Virtual positions come from no token, so they stand nowhere: every query sees them, whatever its own
mask hides; a real token keeps its place; the scores gain nothing for a distance to them (relative,
T5, Shaw, ALiBi); and where positions turn queries and keys (rotary), a virtual key is not turned:
it is learned as the turned queries meet it.

They belong to the layer and not to the text, so a cache holds only real positions, and the prefix
is put before them at every look.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

Virtual = tuple[Float[Tensor, "g m k"], Float[Tensor, "g m w"]]
"""Keys and values of m virtual positions."""


class Prefix(nn.Module, ABC):
    """The source of the virtual keys and values of one attention."""

    @abstractmethod
    def forward(self) -> Virtual:
        """Return the keys and values."""


@dataclass(frozen=True, slots=True)
class MaskedKeys:
    """Keys and values to attend to, with their mask and position bias."""

    k: Float[Tensor, "b h s k"]
    v: Float[Tensor, "b h s w"]
    mask: Bool[Tensor, "#b 1 #t s"] | None
    bias: Float[Tensor, "#b h #t s"] | None

    def only_past(self, queries: int) -> "MaskedKeys":
        """Hide from each of so many queries all that comes after its own place.

        The kernel's own causal mask knows no prefix, so the mask that is meant is written out.
        """
        seen = torch.ones(queries, self.k.shape[2], dtype=torch.bool, device=self.k.device)
        past = seen.tril()[None, None]  # 1 1 t s
        return replace(self, mask=past if self.mask is None else self.mask & past)

    def behind(self, virtual: Virtual) -> "MaskedKeys":
        """Put virtual positions, which all queries see, before these."""
        k, v = (_before(new, old) for new, old in zip(virtual, (self.k, self.v), strict=True))
        count, mask, bias = k.shape[2] - self.k.shape[2], self.mask, self.bias
        if mask is not None:
            mask = torch.cat((mask.new_ones(*mask.shape[:3], count), mask), dim=3)
        if bias is not None:
            bias = torch.cat((bias.new_zeros(*bias.shape[:3], count), bias), dim=3)
        return MaskedKeys(k, v, mask, bias)


def _before(virtual: Float[Tensor, "g m k"], real: Float[Tensor, "b h s k"]) -> Tensor:
    """Give every text and every head of queries its share of the virtual positions."""
    shared = virtual.repeat_interleave(real.shape[1] // len(virtual), dim=0)  # h m k
    return torch.cat((shared.to(real.dtype).expand(len(real), -1, -1, -1), real), dim=2)
