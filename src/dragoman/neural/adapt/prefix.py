"""Prefix tuning (Li & Liang 2021): keys and values before every text are all that is learned.

Every attention of every layer gets m virtual positions of its own: those of a decoder-only network
or of an encoder; in an encoder-decoder the encoder's, the decoder's and those from the decoder to
the source. What virtual positions are to attention stands in `layers.prefix`.

Learned as they are they begin small, normal with a deviation of 0.02. With `through`, a network
makes them while training:

    P = W₂ tanh(W₁ P' + b₁) + b₂      P' [m, d]   W₁ [through, d]   W₂ [2d for each layer, through]

with one P' and W₁ for the encoder's layers, one for the decoder's and one for those across, as the
authors have it. When training has ended, `settle` keeps P alone.
"""

from collections.abc import Collection

import torch
from jaxtyping import Float
from torch import Tensor, nn

from dragoman.config.start import PrefixStart
from dragoman.core.errors import ConfigError
from dragoman.neural.adapt.parts import parameters_of, train_only
from dragoman.neural.layers.attention import Attention
from dragoman.neural.layers.blocks import CausalLayer, DecoderLayer, EncoderLayer
from dragoman.neural.layers.prefix import Prefix, Virtual

DEVIATION = 0.02


class LearnedPrefix(Prefix):
    """Keys and values that are learned as they are."""

    def __init__(self, keys: Float[Tensor, "g m k"], values: Float[Tensor, "g m w"]) -> None:
        super().__init__()
        self.keys = nn.Parameter(keys)
        self.values = nn.Parameter(values)

    def forward(self) -> Virtual:
        """Return the keys and values."""
        return self.keys, self.values


class PrefixSource(nn.Module):
    """P' and its way to the middle, which the attentions of one kind share."""

    def __init__(self, length: int, width: int, through: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(length, width))
        self.inner = nn.Linear(width, through)

    def forward(self) -> Float[Tensor, "m f"]:
        """Return the middle of the network."""
        return self.inner(self.table).tanh()


class ReparametrisedPrefix(Prefix):
    """Keys and values that a network makes from a smaller table."""

    def __init__(self, source: PrefixSource, heads: int, key_width: int, value_width: int) -> None:
        super().__init__()
        self.source = source
        self.heads = heads
        self.widths = [key_width, value_width]
        self.output = nn.Linear(source.inner.out_features, heads * sum(self.widths))

    def forward(self) -> Virtual:
        """Return the keys and values."""
        made = self.output(self.source()).unflatten(1, (self.heads, -1))  # m g k+w
        keys, values = made.transpose(0, 1).split(self.widths, dim=2)
        return keys, values


def attentions(model: nn.Module) -> dict[str, dict[str, Attention]]:
    """Return the attentions of a network by kind and by name.

    The kinds are `reading` both ways, `writing` on from the past, and looking `across`.
    """
    kinds: dict[str, dict[str, Attention]] = {"reading": {}, "writing": {}, "across": {}}
    for name, layer in model.named_modules():
        match layer:
            case EncoderLayer():
                kinds["reading"][f"{name}.attention"] = layer.attention
            case CausalLayer():
                kinds["writing"][f"{name}.attention"] = layer.attention
            case DecoderLayer():
                kinds["writing"][f"{name}.attention"] = layer.attention
                kinds["across"][f"{name}.source_attention"] = layer.source_attention
    return {kind: found for kind, found in kinds.items() if found}


def prefixed_attentions(model: nn.Module) -> dict[str, Attention]:
    """Return the attentions that have a prefix, by name."""
    every = [pair for found in attentions(model).values() for pair in found.items()]
    return {name: attention for name, attention in every if attention.prefix is not None}


def apply_prefix(model: nn.Module, settings: PrefixStart, new: Collection[str] = ()) -> None:
    """Put a prefix before every attention; train it and what is new or named, and nothing else."""
    if prefixed_attentions(model):
        raise ConfigError("start.method = 'prefix': this network has a prefix already.")
    kinds = attentions(model)
    if not kinds:
        raise ConfigError(
            "start.method = 'prefix' is for the attention of Transformer layers, and this "
            "network has "
            "none. Use 'full' or 'frozen'."
        )
    for found in kinds.values():
        source: PrefixSource | None = None
        for attention in found.values():
            if settings.projection_width is not None and source is None:
                width = attention.query.in_features
                source = PrefixSource(settings.length, width, settings.projection_width)
            _put_before(attention, settings.length, source)
    train_prefix(model, [*settings.trainable, *new])


def train_prefix(model: nn.Module, besides: Collection[str] = ()) -> None:
    """Train every prefix, the parts named besides, and nothing else."""
    trained = parameters_of(model, besides)
    for attention in prefixed_attentions(model).values():
        trained += [] if attention.prefix is None else attention.prefix.parameters()
    train_only(model, trained)


@torch.no_grad()
def settle(model: nn.Module) -> None:
    """Keep of every prefix the keys and values alone, and not what made them."""
    for attention in prefixed_attentions(model).values():
        if isinstance(attention.prefix, ReparametrisedPrefix):
            keys, values = attention.prefix()
            attention.prefix = LearnedPrefix(keys.clone(), values.clone())


def _put_before(attention: Attention, length: int, source: PrefixSource | None) -> None:
    like, groups = attention.key.weight, attention.key_value_heads
    widths = attention.key.out_features // groups, attention.value.out_features // groups
    prefix: Prefix
    if source is None:
        keys, values = (torch.randn(groups, length, width) * DEVIATION for width in widths)
        prefix = LearnedPrefix(keys, values)
    else:
        prefix = ReparametrisedPrefix(source, groups, *widths)
    attention.prefix = prefix.to(like.device, like.dtype).train(attention.training)
