"""A Transformer with its sines and cosines side by side, as one that has them in two halves.

The numbers of a hidden state have no order of their own: a network whose matrices and norms have
them in another order is the same network. So positions that are laid out otherwise are no other
network either, if everything that reads or writes a hidden state is laid out like them.
"""

from collections.abc import Mapping

import torch
from torch import Tensor

from dragoman.config.transformer import TransformerSettings

READ = ("query.weight", "key.weight", "value.weight", "inner.weight", "gate.weight")
"""Matrices whose columns belong to the numbers of a hidden state, as those of tables do."""


def in_halves(
    settings: TransformerSettings, tensors: Mapping[str, Tensor]
) -> tuple[TransformerSettings, dict[str, Tensor]]:
    """Return the same network with positions in halves; any other kind is left as it is."""
    if settings.positions != "sinusoidal" or settings.activation == "single":
        return settings, dict(tensors)
    order = torch.cat((torch.arange(0, settings.width, 2), torch.arange(1, settings.width, 2)))
    changed = settings.model_copy(update={"positions": "sinusoidal-halves"})
    return changed, {name: _laid_out(name, tensor, order) for name, tensor in tensors.items()}


def _laid_out(name: str, tensor: Tensor, order: Tensor) -> Tensor:
    if name == "output.bias" or name.endswith(tuple(_bias_of(one) for one in READ)):
        return tensor
    if name == "output.weight" or name.endswith(("table.weight", *READ)):
        return tensor[:, order]
    return tensor[order]


def _bias_of(weight: str) -> str:
    return weight.removesuffix("weight") + "bias"
