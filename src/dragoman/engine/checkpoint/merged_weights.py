"""Merged weights: an adapted network (LoRA, prefix) as one that was not adapted would have them.

Differences of low rank are added to their matrices. A prefix stays, as keys and values; a network
that is to read such weights is given an empty prefix first.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import torch
from torch import nn

from dragoman.config.start import PrefixStart, StartSettings
from dragoman.engine.checkpoint.finite import check_finite
from dragoman.engine.checkpoint.weights import StoredWeights, Tensors, load_weights, weights_of
from dragoman.neural.adapt.adapting import adapt
from dragoman.neural.adapt.lora import lora_matrices
from dragoman.neural.adapt.prefix import prefixed_attentions

Network = TypeVar("Network", bound=nn.Module)


def is_adapted(model: nn.Module) -> bool:
    """Say whether something was put into a network that a plain one does not have."""
    return bool(lora_matrices(model) or prefixed_attentions(model))


@torch.no_grad()
def plain_weights(model: nn.Module) -> Tensors:
    """Return copies of a network's weights with its adapters built into them."""
    tensors = weights_of(model)
    for name, adapted in lora_matrices(model).items():
        for part in ("down.weight", "up.weight"):
            tensors.pop(f"{name}.{part}")
        learned = adapted.scale * adapted.up.weight @ adapted.down.weight
        tensors[f"{name}.weight"] = adapted.weight + learned
    for name, attention in prefixed_attentions(model).items():
        if attention.prefix is not None:
            made = {key for key in tensors if key.startswith(f"{name}.prefix.")}
            tensors = {key: tensor for key, tensor in tensors.items() if key not in made}
            keys, values = attention.prefix()
            tensors |= {f"{name}.prefix.keys": keys, f"{name}.prefix.values": values}
    return {name: tensor.detach().clone() for name, tensor in tensors.items()}


def build_filled(
    build: Callable[[], Network], stored: StoredWeights, start: StartSettings | None, where: Path
) -> Network:
    """Build a network and put the weights of a run into it, with the prefix they may have."""
    with torch.device("meta"):  # takes no memory, so weights that do not fit are refused first
        _fill(build(), stored, start, where)
    for name, tensor in stored.tensors.items():
        check_finite(tensor, name, where)
    model = build()
    _fill(model, stored, start, where)
    return model


def _fill(
    model: nn.Module, stored: StoredWeights, start: StartSettings | None, where: Path
) -> None:
    if isinstance(start, PrefixStart):
        adapt(model, start.model_copy(update={"projection_width": None, "trainable": ()}))
    load_weights(model, stored.tensors, where)
