"""A copy of a network that reads and writes faster, and cannot be trained."""

import copy
from functools import cache
from typing import Literal, TypeVar

import torch
from jaxtyping import Int
from torch import Tensor, nn

from dragoman.core.console import say
from dragoman.core.errors import ConfigError
from dragoman.neural.layers.attention import Attention
from dragoman.neural.layers.blocks import CausalLayer, DecoderLayer
from dragoman.neural.layers.int8 import Int8Linear, has_int8_kernels
from dragoman.neural.layers.lean import LeanCausalLayer, LeanDecoderLayer

Network = TypeVar("Network", bound=nn.Module)
Precision = Literal["float32", "int8"]


@torch.no_grad()
def quick(model: Network, precision: Precision, *, fused: bool = True) -> Network:
    """Return a copy with leaner steps, one product for three in self-attention, 8 bits if wanted.

    In float32 the copy shares the weights of the original that it does not join: all of them,
    where it is not to be fused.
    """
    same = {id(part): part for part in (*model.parameters(), *model.buffers())}
    twin = copy.deepcopy(model, same)
    across = {layer.source_attention for layer in twin.modules() if isinstance(layer, DecoderLayer)}
    for part in twin.modules() if fused else ():
        if isinstance(part, Attention) and part not in across:
            part.fuse()
    if precision == "int8":
        _in_8_bits(twin)
    for parent in list(twin.modules()):
        for name, part in list(parent.named_children()):
            if type(part) is DecoderLayer:
                setattr(parent, name, LeanDecoderLayer(part))
            elif type(part) is CausalLayer:
                setattr(parent, name, LeanCausalLayer(part))
    return twin.eval()


@torch.no_grad()
def narrow_output(model: Network, kept: Int[Tensor, " n"]) -> Network:
    """Return a model that scores only the kept tokens; it shares all else with the original."""
    twin = copy.copy(model)
    twin._modules = {**model._modules, "output": _only(model.get_submodule("output"), kept)}
    return twin


def _only(output: nn.Module, kept: Int[Tensor, " n"]) -> nn.Module:
    """Return the rows of an output that belong to the kept tokens."""
    if isinstance(output, Int8Linear):
        weight, bias = output.original
    elif type(output) is nn.Linear:
        weight, bias = output.weight, output.bias
    else:
        raise ConfigError(
            "decoding.shortlist needs an output that is a plain matrix, and this one is adapted. "
            "Set decoding.shortlist = 0."
        )
    fewer = nn.Linear(weight.shape[1], len(kept), bias=bias is not None, device="meta")
    fewer.weight = nn.Parameter(weight[kept], requires_grad=False)
    fewer.bias = None if bias is None else nn.Parameter(bias[kept], requires_grad=False)
    return Int8Linear(fewer) if isinstance(output, Int8Linear) else fewer


@cache
def _warn_of_float32() -> None:
    say(
        f"torch {torch.__version__} has no int8 kernels for this processor: "
        "decoding.precision = 'int8' is computed in float32, more slowly.",
        "yellow",
    )


def _in_8_bits(model: nn.Module) -> None:
    """Put whole numbers in the place of every matrix that is nothing but a matrix.

    A single row is read as a vector, and has no product worth rounding for. Without kernels for
    it, all stays as it is.
    """
    if not has_int8_kernels():
        _warn_of_float32()
        return
    for parent in list(model.modules()):
        for name, part in list(parent.named_children()):
            if type(part) is nn.Linear and part.out_features > 1:
                setattr(parent, name, Int8Linear(part))
