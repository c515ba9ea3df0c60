"""ALiBi: a position bias that falls with the distance by a fixed slope (Press et al. 2022).

For head h the score gains -m_h · |j - i|. The slopes of n heads are 2^(-8/n), 2^(-16/n), …, 2^-8:
some heads look far and others near, and there is nothing to learn. Each way the loss grows evenly
with the distance, so sentences longer than those of training are nothing new. A decoder sees only
one side of it.
"""

import math

from jaxtyping import Float, Int
from torch import Tensor

from dragoman.neural.layers.relative_position_bias import PositionBias, relative_positions


def alibi_slopes(heads: int) -> list[float]:
    """Return each head's slope.

    Where the number of heads is no power of two, the slopes of the next smaller power come first,
    then every other slope of the next larger one.
    """
    smaller = 2 ** math.floor(math.log2(heads))
    slopes = [2.0 ** (-8 * k / smaller) for k in range(1, smaller + 1)]
    between = [2.0 ** (-4 * k / smaller) for k in range(1, 2 * smaller + 1, 2)]
    return slopes + between[: heads - smaller]


class Alibi(PositionBias):
    """Attention with linear biases: each head has its own penalty per step of distance."""

    def __init__(self, heads: int) -> None:
        super().__init__()
        self.slopes = alibi_slopes(heads)

    def forward(
        self, q: Float[Tensor, "b h t k"], queries: Int[Tensor, "#b #t"], keys: Int[Tensor, "#b s"]
    ) -> Float[Tensor, "#b h #t s"]:
        """Return the slope times the distance, below nothing."""
        distance = relative_positions(queries, keys).abs().unsqueeze(1)  # #b 1 t s
        return -q.new_tensor(self.slopes)[:, None, None] * distance
