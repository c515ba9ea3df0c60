"""New tokens at the end of a trained network's vocabulary, for the words of a new domain.

Old rows stay as they are, bit for bit. A new row is the mean of the old ones with a little noise, a
hundredth of their deviation in each component. In the output this gives a new token about the mean
of all old scores, so that at first it takes next to nothing from the old ones: with n old tokens,
about 1/n of what they share (Hewitt 2021). Do this before `adapt`.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from dragoman.core.errors import ShapeError
from dragoman.neural.layers.embedding import TokenEmbedding
from dragoman.neural.layers.summed_embedding import SummedEmbedding

NOISE = 0.01
"""Deviation of a new row, as a share of the deviation among the old ones."""

Grown = tuple[Tensor, nn.Parameter]
"""A matrix as it was, and with more rows."""

SOURCE, TARGET = ("source_embedding",), ("target_embedding", "embedding", "output")
"""What networks call the parts that have a row for each token of a side."""


def grow_vocabulary(model: nn.Module, source: int, target: int) -> None:
    """Widen tables and output to so many tokens of each side; a single side is the target.

    What is tied stays tied. New rows are drawn from torch's own random numbers.
    """
    wanted = dict.fromkeys(SOURCE, source) | dict.fromkeys(TARGET, target)
    grown: list[Grown] = []
    for name, size in wanted.items():
        part = getattr(model, name, None)
        rows = part.table if isinstance(part, TokenEmbedding | SummedEmbedding) else part
        if isinstance(rows, nn.Embedding | nn.Linear):
            _grow(rows, size, grown)
    if not grown:
        raise ShapeError(f"{type(model).__name__} has no tables of words that could grow.")


def _grow(rows: nn.Embedding | nn.Linear, size: int, grown: list[Grown]) -> None:
    """Give a part more rows, or those that were grown for a part with which it is tied."""
    weight = next((pair[1] for pair in grown if _is_in(rows, pair)), None)
    if weight is None:
        weight = _longer(rows.weight, size)
        grown.append((rows.weight, weight))
    if len(weight) != size:
        raise ShapeError(
            f"one matrix serves two sides, which cannot have {len(weight)} and {size} entries."
        )
    rows.weight = weight
    if isinstance(rows, nn.Embedding):
        rows.num_embeddings = size
        return
    rows.out_features = size
    if rows.bias is not None:
        rows.bias = _longer(rows.bias, size)


def _is_in(rows: nn.Embedding | nn.Linear, pair: Grown) -> bool:
    """Whether a part has the old matrix of a pair, or the new one already."""
    return any(rows.weight is weight for weight in pair)


@torch.no_grad()
def _longer(old: Tensor, size: int) -> nn.Parameter:
    more = size - len(old)
    if more < 0:
        raise ShapeError(f"a vocabulary of {len(old)} entries cannot shrink to {size}.")
    new = torch.cat((old, _drawn(old, more)))
    return nn.Parameter(new, requires_grad=old.requires_grad)


def _drawn(old: Float[Tensor, "..."], more: int) -> Float[Tensor, "..."]:
    spread = old.std(dim=0, unbiased=False)
    noise = torch.randn(more, *old.shape[1:], dtype=old.dtype, device=old.device)
    return old.mean(dim=0) + NOISE * spread * noise
