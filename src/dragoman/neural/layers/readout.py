"""The layer between a recurrent decoder and its output.

Of the state s, the last word y and the context c, whichever a model has, it makes

    t̃ = U s + V y + C c + b

and hands on t̃ itself (linear), tanh t̃, or the larger of each two units of t̃ (maxout,
Goodfellow et al. 2013).
"""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Readout(nn.Module):
    """Mix what speaks for the next token; the parts come in the order of their widths."""

    def __init__(
        self, widths: tuple[int, ...], width: int, kind: Literal["linear", "tanh", "maxout"]
    ) -> None:
        super().__init__()
        self.kind = kind
        self.width = width
        self.mix = nn.Linear(sum(widths), 2 * width if kind == "maxout" else width)

    def forward(self, *parts: Float[Tensor, "*n _"]) -> Float[Tensor, "*n o"]:
        """Return what the output makes scores from."""
        mixed = self.mix(torch.cat(parts, dim=-1) if len(parts) > 1 else parts[0])
        if self.kind == "tanh":
            return mixed.tanh()
        if self.kind == "maxout":
            pairs = mixed.unflatten(-1, (self.width, 2))
            return torch.maximum(pairs[..., 0], pairs[..., 1])
        return mixed
