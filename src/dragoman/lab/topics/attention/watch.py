"""Attention layers of the product as claims use them: without extras, and with their weights."""

from collections.abc import Sequence

import torch
from torch import Tensor

from dragoman.lab.sampling import random_layer
from dragoman.neural.layers.attention import Attention, HeadShape
from dragoman.neural.layers.watchable import watching

BARE = HeadShape(biases=False, output=False)
"""Queries, keys and values, and nothing besides."""


def bare_attention(width: int, seed: int, heads: int = 1) -> Attention:
    """Return attention without biases and without an output matrix."""
    return random_layer(lambda: Attention(width, heads, BARE), seed)


@torch.no_grad()
def look(
    layer: Attention, x: Tensor, memory: Tensor | None = None, *, causal: bool = False
) -> tuple[Tensor, Tensor]:
    """Return the layer's output for one sequence [n, d], and its weights [h, n, s]."""
    seen: list[Tensor] = []
    batch = x[None]
    with watching(layer, seen.append):
        output = layer(batch, batch if memory is None else memory[None], causal=causal)
    return output[0], seen[0][0]


@torch.no_grad()
def set_weights(layer: Attention, query: Tensor, key: Tensor, value: Tensor) -> None:
    """Set the three matrices, each from input to output: Q = X W."""
    for part, matrix in ((layer.query, query), (layer.key, key), (layer.value, value)):
        part.weight.copy_(matrix.T)


def rows(matrix: Tensor) -> list[list[float]]:
    """Return a matrix as lists, for a heat map."""
    listed: list[list[float]] = matrix.detach().tolist()
    return listed


def written(values: Tensor | Sequence[float]) -> str:
    """Write a row of numbers for reading."""
    return "  ".join(f"{float(value):.4f}" for value in values)
