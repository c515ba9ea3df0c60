"""The relative position bias of T5, by buckets of offsets (Raffel et al. 2020).

Like `RelativePositionBias`, but offsets share their numbers in buckets: near offsets have one each,
farther ones share buckets that grow as the logarithm of the distance, and all beyond the reach
share the last. Half of the buckets are for later keys; in a causal layer, all are for earlier ones.
One table serves all layers of a stack.
"""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from dragoman.neural.layers.relative_position_bias import PositionBias, relative_positions


def bucket_of(distance: int, buckets: int, reach: int) -> int:
    """Return the bucket, of those for one direction, into which a distance falls."""
    exact = buckets // 2
    if distance < exact:
        return distance
    share = math.log(distance / exact) / math.log(reach / exact)
    return min(buckets - 1, exact + int(share * (buckets - exact) + 1e-9))


class T5Bias(PositionBias):
    """Relative position bias: one learned number for each head and each bucket of offsets."""

    def __init__(self, heads: int, buckets: int, reach: int, *, causal: bool) -> None:
        super().__init__()
        self.reach = reach
        self.table = nn.Parameter(torch.zeros(heads, buckets))
        sides = 1 if causal else 2
        behind = [bucket_of(away, buckets // sides, reach) for away in range(reach + 1)]
        ahead = [0 if causal else buckets // 2 + bucket for bucket in behind[1:]]
        self.buckets = [*reversed(behind), *ahead]
        """The bucket of each offset from -reach to reach."""

    def forward(
        self, q: Float[Tensor, "b h t k"], queries: Int[Tensor, "#b #t"], keys: Int[Tensor, "#b s"]
    ) -> Float[Tensor, "#b h #t s"]:
        """Return each head's number for each offset's bucket."""
        numbers = self.table[:, torch.tensor(self.buckets, device=self.table.device)]
        offset = relative_positions(queries, keys).clamp(-self.reach, self.reach)
        return numbers[:, offset + self.reach].transpose(0, 1)
