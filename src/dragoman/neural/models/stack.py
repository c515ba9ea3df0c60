"""From the settings of a stack of attention layers to its parts."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from dragoman.config.stack import StackSettings
from dragoman.neural.layers.alibi import Alibi
from dragoman.neural.layers.attention import Attention, HeadShape
from dragoman.neural.layers.blocks import CausalLayer, DecoderLayer, EncoderLayer
from dragoman.neural.layers.embedding import TokenEmbedding
from dragoman.neural.layers.feed_forward import AnyFeedForward, build_feed_forward
from dragoman.neural.layers.norms import build_norm
from dragoman.neural.layers.positions import LearnedPositions, NoPositions, SinusoidalPositions
from dragoman.neural.layers.relative_position_bias import PositionBias, RelativePositionBias
from dragoman.neural.layers.rotary import Rotary
from dragoman.neural.layers.shaw import ShawPositionBias
from dragoman.neural.layers.t5_bias import T5Bias


def build_embedding(settings: StackSettings, table: nn.Embedding) -> TokenEmbedding:
    """Return the way from tokens to vectors, with those positions that are added to them."""
    positions = build_positions(settings)
    return TokenEmbedding(
        table, positions, dropout=settings.dropout, word_dropout=settings.word_dropout
    )


def build_positions(settings: StackSettings) -> nn.Module:
    """Return the layer that adds positions to embeddings; none where attention knows them."""
    width = settings.width
    match settings.positions:
        case "sinusoidal":
            return SinusoidalPositions(width, "interleaved")
        case "sinusoidal-halves":
            return SinusoidalPositions(width, "halves")
        case "sinusoidal-from-one":
            return SinusoidalPositions(width, "interleaved", first=1)
        case "learned":
            return LearnedPositions(width, settings.max_positions)
        case _:
            return NoPositions()


def build_last_norm(settings: StackSettings) -> nn.Module:
    """Return the norm after the last layer, which a stack with norms before its parts needs."""
    if settings.norm != "pre":
        return nn.Identity()
    return build_norm(settings.normalization, settings.width)


class Parts:
    """The layers of one stack, whose attention knows positions as the settings say."""

    def __init__(
        self, settings: StackSettings, heads: int, inner_width: int, *, causal: bool
    ) -> None:
        self.settings = settings
        self.heads = heads
        self.inner_width = inner_width
        self.causal = causal
        self.shared: T5Bias | None = None
        if settings.positions == "t5":
            buckets, reach = settings.buckets, settings.max_bucket_distance
            self.shared = T5Bias(heads, buckets, reach, causal=causal)

    def encoder_layer(self) -> EncoderLayer:
        """Return a layer in which all positions see each other."""
        chosen = self.settings
        return EncoderLayer(
            self._attention(),
            self._feed_forward(),
            chosen.norm,
            chosen.dropout,
            chosen.normalization,
        )

    def causal_layer(self) -> CausalLayer:
        """Return a layer in which each position sees its past."""
        chosen = self.settings
        return CausalLayer(
            self._attention(),
            self._feed_forward(),
            chosen.norm,
            chosen.dropout,
            chosen.normalization,
        )

    def decoder_layer(self) -> DecoderLayer:
        """Return a layer in which each position sees its past and a source."""
        chosen = self.settings
        return DecoderLayer(
            self._attention(),
            self._cross_attention(),
            self._feed_forward(),
            chosen.norm,
            chosen.dropout,
            chosen.normalization,
        )

    def _attention(self) -> Attention:
        chosen = self.settings
        return Attention(
            chosen.width,
            self.heads,
            self._shape(),
            dropout=chosen.attention_dropout,
            position_bias=self._position_bias(),
            rotary=self._rotary(),
        )

    def _cross_attention(self) -> Attention:
        """Return cross-attention; only `relative` has a position bias between target and source."""
        chosen, position_bias = self.settings, None
        if chosen.positions == "relative":
            position_bias = RelativePositionBias(self.heads, chosen.max_relative_position)
            position_bias.initialize_cross()
        return Attention(
            chosen.width,
            self.heads,
            self._shape(),
            dropout=chosen.attention_dropout,
            position_bias=position_bias,
        )

    def _rotary(self) -> Rotary | None:
        if self.settings.positions != "rotary":
            return None
        return Rotary(self._key_width(), self.settings.rotary_base)

    def _position_bias(self) -> PositionBias | None:
        chosen = self.settings
        match chosen.positions:
            case "relative":
                bias = RelativePositionBias(self.heads, chosen.max_relative_position)
                if self.causal:
                    bias.initialize_causal()
                else:
                    bias.initialize_bidirectional()
                return bias
            case "alibi":
                return Alibi(self.heads)
            case "shaw":
                return ShawPositionBias(self._key_width(), chosen.max_relative_position)
            case _:
                return self.shared

    def _key_width(self) -> int:
        return self.settings.key_width or self.settings.width // self.heads

    def _shape(self) -> HeadShape:
        chosen = self.settings
        return HeadShape(
            key_value_heads=chosen.key_value_heads,
            key_width=chosen.key_width,
            value_width=chosen.value_width,
            biases=chosen.biases,
            output=chosen.output_projection,
        )

    def _feed_forward(self) -> AnyFeedForward:
        chosen = self.settings
        return build_feed_forward(
            chosen.activation,
            chosen.width,
            self.inner_width,
            dropout=chosen.ffn_dropout,
            biases=chosen.biases,
        )


def run(layer: nn.Module, *inputs: Tensor | None, again: bool) -> Tensor:
    """Run a layer; where `again` is wanted it is recomputed in the backward pass, not kept."""
    return checkpoint(layer, *inputs, use_reentrant=False) if again else layer(*inputs)


def initialize(model: nn.Module, settings: StackSettings) -> None:
    """Draw the first weights as `model.initialization` says; biases 0, norms 1."""
    matrix: Callable[[Tensor], Tensor]
    if settings.initialization == "normal":
        matrix, deviation = lambda w: nn.init.normal_(w, std=0.02), 0.02
    else:
        matrix, deviation = nn.init.xavier_uniform_, settings.width**-0.5
    with torch.no_grad():
        for module in model.modules():
            if isinstance(module, nn.Linear):
                matrix(module.weight)
                if module.bias is not None:
                    module.bias.zero_()
            elif isinstance(module, nn.Embedding):
                module.weight.normal_(std=deviation)


def set_epsilon(model: nn.Module, epsilon: float) -> None:
    """Give every norm of a model the number that keeps it from dividing by nothing."""
    for module in model.modules():
        if isinstance(module, nn.LayerNorm | nn.RMSNorm):
            module.eps = epsilon
