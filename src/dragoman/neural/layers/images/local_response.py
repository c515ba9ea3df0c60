"""Local response normalization: loud neighbours hush a map (Krizhevsky et al. 2012).

    y[c] = x[c] / (k + α Σ x[j]²)^β    over the n maps j around c

No mean is taken away. Torch's function divides α by n, as Caffe did; the paper does not, and nor do
we. It is what runs; the sum stands here, and a test keeps them equal.
"""

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F


def local_response_written_out(
    x: Float[Tensor, "b c h w"],
    maps: int = 5,
    alpha: float = 1e-4,
    beta: float = 0.75,
    k: float = 2,
) -> Float[Tensor, "b c h w"]:
    """Divide each map by a power of the energy of those around it."""
    before, after = maps // 2, (maps - 1) // 2
    squares = F.pad(x**2, (0, 0, 0, 0, before, after))
    energy = sum(squares[:, offset : offset + x.shape[1]] for offset in range(maps))
    return x / (k + alpha * energy) ** beta


class LocalResponse(nn.Module):
    """The normalization with the numbers of the paper."""

    def __init__(
        self, maps: int = 5, alpha: float = 1e-4, beta: float = 0.75, k: float = 2.0
    ) -> None:
        super().__init__()
        self.maps = maps
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b c h w"]:
        """Divide each map by a power of the energy of those around it."""
        return F.local_response_norm(x, self.maps, self.maps * self.alpha, self.beta, self.k)
