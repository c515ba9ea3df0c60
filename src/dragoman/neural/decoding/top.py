"""The largest few of many numbers in each row, found by blocks.

The k largest numbers of a row lie in the k blocks with the largest maxima. Maxima are quickly
found, and then only k blocks are left to look through: for 5 of 8,000 numbers that takes a tenth
of the time of sorting out the whole row.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

BLOCK = 64
"""Numbers in a block: about the square root of a vocabulary."""

FEW, WORTH_IT = 8, 2048
"""Rows, and numbers in a row, from which on blocks are the faster way."""


def top(scores: Float[Tensor, "n v"], count: int) -> tuple[Tensor, Int[Tensor, "n c"]]:
    """Return the `count` largest scores of each row, largest first, and where they stand."""
    rows, width = scores.shape
    blocks = width // BLOCK
    if rows < FEW or width < WORTH_IT or count >= blocks:
        return scores.topk(min(count, width), dim=1)
    whole = scores[:, : blocks * BLOCK].view(rows, blocks, BLOCK)
    first = whole.amax(2).topk(count, dim=1).indices * BLOCK  # n c: where the best blocks begin
    places = first.unsqueeze(2) + torch.arange(BLOCK, device=scores.device)  # n c block
    rest = torch.arange(blocks * BLOCK, width, device=scores.device).expand(rows, -1)
    places = torch.cat((places.flatten(1), rest), dim=1)
    values, among = scores.gather(1, places).topk(count, dim=1)
    return values, places.gather(1, among)
