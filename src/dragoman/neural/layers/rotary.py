"""Telling attention where tokens stand by turning queries and keys (Su et al. 2021).

Component i and component i + k/2 of a head are one pair, turned by the angle
position / 10000^(2i/k). Turning by m and by n leaves a dot product that knows only n - m:
(R_m q)·(R_n k) = q·(R_{n-m} k). Lengths stay as they are, and there is nothing to learn.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from dragoman.neural.layers.positions import Waves


class Rotary(nn.Module):
    """Turn each head's pairs of components by their position."""

    def __init__(self, head_width: int, base: float = 10_000.0) -> None:
        super().__init__()
        self.waves = Waves(head_width, "halves", base=base)

    def forward(
        self, x: Float[Tensor, "b h n k"], places: Int[Tensor, "#b n"] | None = None
    ) -> Float[Tensor, "b h n k"]:
        """Turn queries or keys that stand at the places."""
        sine, cosine = self.waves.at(places, x.shape[2], x).unsqueeze(1).chunk(2, -1)  # #b 1 n k/2
        one, other = x.chunk(2, dim=-1)
        return torch.cat((one * cosine - other * sine, other * cosine + one * sine), dim=-1)
