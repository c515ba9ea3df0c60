"""A Transformer's weights laid out as CTranslate2 wants them, through its public `specs`.

Positions are always written out. What is added to embeddings becomes a table of as many rows as
will ever be needed, because CTranslate2's own sinusoids are others than ours. T5's buckets and
ALiBi's slopes become a table of T5's with a bucket for each single offset: so nothing depends on
how a logarithm is rounded, and an encoder can have ALiBi, for which CTranslate2 has no word.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from dragoman.config.transformer import TransformerSettings
from dragoman.neural.layers.alibi import Alibi
from dragoman.neural.layers.attention import Attention
from dragoman.neural.layers.blocks import DecoderLayer, EncoderLayer
from dragoman.neural.layers.embedding import TokenEmbedding
from dragoman.neural.layers.feed_forward import AnyFeedForward, FeedForward, GatedFeedForward
from dragoman.neural.layers.norms import RMS_EPSILON
from dragoman.neural.layers.positions import LearnedPositions
from dragoman.neural.layers.relative_position_bias import PositionBias
from dragoman.neural.layers.shaw import ShawPositionBias
from dragoman.neural.models.transformer import Transformer

LAYER_EPSILON = 1e-5
"""What torch's layer norm has built in."""

ACTIVATIONS = {
    "relu": "RELU",
    "gelu": "GELU",
    "gelu-tanh": "GELUTanh",
    "quick-gelu": "GELUSigmoid",
    "swish": "SWISH",
    "swiglu": "SWISH",
}


@torch.no_grad()
def spec_of(model: Transformer, longest: int) -> Any:
    """Return the specification of a network that reads and writes up to `longest` tokens."""
    from ctranslate2.specs import transformer_spec as theirs

    settings = model.settings
    habits = _habits(settings)
    writing_heads = settings.decoder_heads or settings.heads
    encoder = theirs.TransformerEncoderSpec(settings.encoder_layers, settings.heads, **habits)
    decoder = theirs.TransformerDecoderSpec(settings.decoder_layers, writing_heads, **habits)
    _fill_embedding(encoder, encoder.embeddings[0], model.source_embedding, longest)
    _fill_embedding(decoder, decoder.embeddings, model.target_embedding, longest)
    for spec, layer in zip(encoder.layer, model.encoder, strict=True):
        if isinstance(layer, EncoderLayer):
            _fill_self_layer(spec, layer, longest, causal=False)
    for spec, layer in zip(decoder.layer, model.decoder, strict=True):
        if isinstance(layer, DecoderLayer):
            _fill_self_layer(spec, layer, longest, causal=True)
            _fill_cross_attention(spec.attention, layer)
    if settings.norm == "pre":
        _fill_norm(encoder.layer_norm, model.encoder_norm)
        _fill_norm(decoder.layer_norm, model.decoder_norm)
    _fill_linear(decoder.projection, model.output)
    spec = theirs.TransformerSpec(encoder, decoder)
    rms = settings.normalization == "rms"
    spec.config.layer_norm_epsilon = RMS_EPSILON if rms else LAYER_EPSILON
    spec.config.add_source_eos = True
    return spec


def _habits(settings: TransformerSettings) -> dict[str, Any]:
    """Return what encoder and decoder have in common."""
    from ctranslate2.specs.common_spec import Activation

    rotary = settings.positions == "rotary"
    return {
        "pre_norm": settings.norm == "pre",
        "activation": Activation[ACTIVATIONS[settings.activation]],
        "ffn_glu": settings.activation == "swiglu",
        "rms_norm": settings.normalization == "rms",
        "relative_position": settings.positions == "shaw",
        "relative_attention_bias": settings.positions in ("t5", "alibi"),
        "rotary_dim": 0 if rotary else None,
        "rotary_interleave": False,
        "rotary_base": settings.rotary_base,
        "num_heads_kv": settings.key_value_heads,
    }


def _fill_embedding(spec: Any, table: Any, ours: TokenEmbedding, longest: int) -> None:
    """Write the vectors of tokens, and those of positions where there are such."""
    table.weight = _numbers(ours.table.weight)
    if not hasattr(spec, "position_encodings"):
        return
    if isinstance(ours.positions, LearnedPositions):
        rows = ours.positions.table.weight
    else:
        rows = ours.positions(torch.zeros(1, longest, ours.table.embedding_dim))[0]
    spec.position_encodings.encodings = _numbers(rows)


def _fill_self_layer(
    spec: Any, layer: EncoderLayer | DecoderLayer, longest: int, *, causal: bool
) -> None:
    """Write self-attention and feed-forward."""
    ours, theirs = layer.attention, spec.self_attention
    _fill_joined(theirs.linear[0], [ours.query, ours.key, ours.value])
    _fill_linear(theirs.linear[1], ours.output)
    _fill_norm(theirs.layer_norm, layer.around_attention.norm)
    _fill_offsets(theirs, ours, longest, causal=causal)
    _fill_feed_forward(spec.ffn, layer.feed_forward)
    _fill_norm(spec.ffn.layer_norm, layer.around_feed_forward.norm)


def _fill_cross_attention(spec: Any, layer: DecoderLayer) -> None:
    ours = layer.source_attention
    _fill_linear(spec.linear[0], ours.query)
    _fill_joined(spec.linear[1], [ours.key, ours.value])
    _fill_linear(spec.linear[2], ours.output)
    _fill_norm(spec.layer_norm, layer.around_source_attention.norm)


def _fill_offsets(spec: Any, attention: Attention, longest: int, *, causal: bool) -> None:
    """Write what the scores of attention gain for where query and key stand."""
    gain = attention.offsets
    if isinstance(gain, ShawPositionBias):
        spec.relative_position_keys = _numbers(gain.table)
        spec.relative_position_values = _numbers(torch.zeros_like(gain.table))
    elif gain is not None:
        reach = longest if isinstance(gain, Alibi) else int(getattr(gain, "reach", longest))
        table = offset_table(gain, attention.heads, reach, causal=causal)
        spec.relative_attention_bias = _numbers(table)
        spec.relative_attention_max_distance = np.int32(len(table))


def offset_table(gain: PositionBias, heads: int, reach: int, *, causal: bool) -> Tensor:
    """Return what each offset gains, as a table of T5's: so many buckets by heads.

    Buckets below half of those for a side hold one offset each. The others share out what is
    beyond; here all of them have the number of the farthest offset.
    """
    places = torch.arange(reach + 1)
    nothing = torch.zeros(1, heads, 1, 1)
    behind = gain(nothing, places[None, -1:], places[None])[0, :, 0].flip(-1)  # h, 0 … reach away
    ahead = gain(nothing, places[None, :1], places[None])[0, :, 0]
    sides = [torch.cat((one, one[:, -1:].expand(-1, reach + 1)), dim=1) for one in (behind, ahead)]
    return torch.cat(sides[:1] if causal else sides, dim=1).T


def _fill_feed_forward(spec: Any, ours: AnyFeedForward) -> None:
    if isinstance(ours, GatedFeedForward):
        _fill_linear(spec.linear_0, ours.gate)
        _fill_linear(spec.linear_0_noact, ours.inner)
    elif isinstance(ours, FeedForward):
        _fill_linear(spec.linear_0, ours.inner)
    _fill_linear(spec.linear_1, ours.output)


def _fill_linear(spec: Any, ours: nn.Module) -> None:
    _fill_joined(spec, [ours])


def _fill_joined(spec: Any, ours: Sequence[nn.Module]) -> None:
    """Write matrices that CTranslate2 keeps as one."""
    linears = [one for one in ours if isinstance(one, nn.Linear)]
    if len(linears) != len(ours):
        raise TypeError("only matrices can be written")
    spec.weight = _numbers(torch.cat(tuple(one.weight for one in linears)))
    biases: list[Tensor] = [one.bias for one in linears if one.bias is not None]
    if biases:
        spec.bias = _numbers(torch.cat(biases))


def _fill_norm(spec: Any, ours: nn.Module) -> None:
    if isinstance(ours, nn.LayerNorm):
        spec.gamma, spec.beta = _numbers(ours.weight), _numbers(ours.bias)
    elif isinstance(ours, nn.RMSNorm):
        spec.gamma = _numbers(ours.weight)


def _numbers(tensor: Tensor) -> Any:
    return tensor.detach().float().contiguous().numpy().copy()  # CTranslate2 changes it in place
