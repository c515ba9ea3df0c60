"""Batch norm of maps: each place of each image counts as one example of its channel.

The equation is that of `dragoman.neural.layers.norms`; torch's kernel is what runs.
"""

from jaxtyping import Float
from torch import Tensor

from dragoman.neural.layers.norms import RunningStatistics, batch_norm_written_out


def examples(x: Float[Tensor, "b c h w"]) -> Float[Tensor, "n c"]:
    """Return a row for each place of each image."""
    return x.movedim(1, 3).flatten(0, 2)


def map_norm_written_out(
    x: Float[Tensor, "b c h w"],
    gain: Float[Tensor, " c"],
    bias: Float[Tensor, " c"],
    epsilon: float,
    running: RunningStatistics | None = None,
) -> Float[Tensor, "b c h w"]:
    """Norm each channel over all places, or by the running statistics where they are given."""
    normed = batch_norm_written_out(examples(x), gain, bias, epsilon, running)
    return normed.unflatten(0, (len(x), *x.shape[2:])).movedim(3, 1)
