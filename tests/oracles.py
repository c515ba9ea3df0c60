"""Other people's networks with our weights: what ours must agree with."""

import torch
from torch import nn
from transformers import MarianConfig, MarianMTModel

from dragoman.config.model import TransformerSettings
from dragoman.neural.layers.attention import Attention
from dragoman.neural.layers.blocks import DecoderLayer, EncoderLayer
from dragoman.neural.models.transformer import Transformer


@torch.no_grad()
def scramble(module):
    """Shake every weight, norms and biases too: zeros and ones would hide a mistake."""
    for parameter in module.parameters():
        parameter.add_(torch.randn_like(parameter), alpha=0.3)
    return module


@torch.no_grad()
def copy(ours, theirs):
    """Copy one of our linear layers, norms or tables to another library's."""
    theirs.weight.copy_(ours.weight)
    if getattr(ours, "bias", None) is not None:
        theirs.bias.copy_(ours.bias)


@torch.no_grad()
def copy_attention(ours: Attention, theirs: nn.MultiheadAttention):
    parts = (ours.query, ours.key, ours.value)
    theirs.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
    theirs.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
    copy(ours.output, theirs.out_proj)


def copy_encoder_layer(ours: EncoderLayer, theirs: nn.TransformerEncoderLayer):
    copy_attention(ours.attention, theirs.self_attn)
    copy(ours.feed_forward.inner, theirs.linear1)
    copy(ours.feed_forward.output, theirs.linear2)
    copy(ours.around_attention.norm, theirs.norm1)
    copy(ours.around_feed_forward.norm, theirs.norm2)


def copy_decoder_layer(ours: DecoderLayer, theirs: nn.TransformerDecoderLayer):
    copy_attention(ours.attention, theirs.self_attn)
    copy_attention(ours.source_attention, theirs.multihead_attn)
    copy(ours.feed_forward.inner, theirs.linear1)
    copy(ours.feed_forward.output, theirs.linear2)
    copy(ours.around_attention.norm, theirs.norm1)
    copy(ours.around_source_attention.norm, theirs.norm2)
    copy(ours.around_feed_forward.norm, theirs.norm3)


def torch_layer(kind, ours, *, activation="relu", norm_first=True):
    """Return torch's own layer of a kind, shaped as ours, without dropout, in evaluation."""
    return kind(
        ours.attention.query.in_features,
        ours.attention.heads,
        ours.feed_forward.inner.out_features,
        dropout=0.0,
        activation=activation,
        batch_first=True,
        norm_first=norm_first,
    ).eval()


def marian_config(settings: TransformerSettings, source: int, target: int, padding: int):
    shared = settings.tied == "all"
    return MarianConfig(
        vocab_size=source,
        decoder_vocab_size=target,
        d_model=settings.width,
        encoder_layers=settings.encoder_layers,
        decoder_layers=settings.decoder_layers,
        encoder_attention_heads=settings.heads,
        decoder_attention_heads=settings.decoder_heads or settings.heads,
        encoder_ffn_dim=settings.ffn_width,
        decoder_ffn_dim=settings.decoder_ffn_width or settings.ffn_width,
        activation_function=settings.activation,
        scale_embedding=True,
        static_position_embeddings=True,
        share_encoder_decoder_embeddings=shared,
        tie_word_embeddings=True,
        max_position_embeddings=32,
        pad_token_id=padding,
        decoder_start_token_id=padding,
        eos_token_id=3,
        forced_eos_token_id=None,
        attn_implementation="eager",
    )


def marian_with_weights_of(ours: Transformer) -> MarianMTModel:
    """Build Marian's network in the shape of ours and give it our weights."""
    source, target = ours.source_embedding.table, ours.target_embedding.table
    sizes = source.num_embeddings, target.num_embeddings
    theirs = MarianMTModel(marian_config(ours.settings, *sizes, ours.padding)).eval()
    copy(source, theirs.model.encoder.embed_tokens)
    copy(target, theirs.model.decoder.embed_tokens)
    copy(ours.output, theirs.lm_head)
    for mine, other in zip(ours.encoder, theirs.model.encoder.layers, strict=True):
        _copy_marian_layer(mine, other)
    for mine, other in zip(ours.decoder, theirs.model.decoder.layers, strict=True):
        _copy_marian_layer(mine, other)
        _copy_marian_attention(mine.source_attention, other.encoder_attn)
        copy(mine.around_source_attention.norm, other.encoder_attn_layer_norm)
    return theirs


def _copy_marian_layer(ours, theirs):
    _copy_marian_attention(ours.attention, theirs.self_attn)
    copy(ours.around_attention.norm, theirs.self_attn_layer_norm)
    copy(ours.feed_forward.inner, theirs.fc1)
    copy(ours.feed_forward.output, theirs.fc2)
    copy(ours.around_feed_forward.norm, theirs.final_layer_norm)


def _copy_marian_attention(ours, theirs):
    copy(ours.query, theirs.q_proj)
    copy(ours.key, theirs.k_proj)
    copy(ours.value, theirs.v_proj)
    copy(ours.output, theirs.out_proj)
