"""The relative position bias of Shaw et al. 2018: a vector for each offset.

Each offset, up to the reach, has a learned vector a that is added to the key, so the score of
query i and key j gains q_i·a[j - i] / √k: unlike a plain number, the gain depends on what the
query asks for. All heads share the vectors. The paper also adds vectors to the values and finds
that they bring nothing; they are left out here, and so the values stay what the cache holds.
"""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from dragoman.neural.layers.relative_position_bias import PositionBias, relative_positions


class ShawPositionBias(PositionBias):
    """Relative position bias from a learned vector for each offset, multiplied by the query."""

    def __init__(self, head_width: int, reach: int) -> None:
        super().__init__()
        self.reach = reach
        self.table = nn.Parameter(torch.zeros(2 * reach + 1, head_width))

    def forward(
        self, q: Float[Tensor, "b h t k"], queries: Int[Tensor, "#b #t"], keys: Int[Tensor, "#b s"]
    ) -> Float[Tensor, "#b h #t s"]:
        """Return the likeness of each query to the vector of each offset."""
        likeness = q @ self.table.T / math.sqrt(q.shape[-1])  # b h t offsets
        offset = (
            relative_positions(queries, keys).clamp(-self.reach, self.reach) + self.reach
        )  # #b #t s
        wanted = (*q.shape[:3], offset.shape[-1])
        return likeness.gather(-1, offset.unsqueeze(1).expand(wanted))
