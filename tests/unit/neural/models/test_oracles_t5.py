"""T5 with our weights gives our scores: RMS norm, no biases, shared buckets of offsets.

T5 does not divide its scores by √k and does not scale its embeddings by √d, so our queries are
divided and our tables multiplied on the way over.
"""

import math

import pytest
import torch
from tests.oracles import copy, scramble
from torch import nn
from transformers import T5Config, T5ForConditionalGeneration

from dragoman.config.transformer import TransformerSettings
from dragoman.neural.models.transformer import Transformer

PADDING, WORDS, KEY_WIDTH = 0, 30, 6
SETTINGS = TransformerSettings(
    width=16,
    heads=4,
    key_width=KEY_WIDTH,
    value_width=KEY_WIDTH,
    ffn_width=24,
    encoder_layers=2,
    decoder_layers=3,
    positions="t5",
    buckets=8,
    max_bucket_distance=10,
    normalization="rms",
    biases=False,
    tied="none",
)


def t5(activation):
    """Build T5 in the shape of ours."""
    config = T5Config(
        vocab_size=WORDS,
        d_model=SETTINGS.width,
        d_kv=KEY_WIDTH,
        d_ff=SETTINGS.ffn_width,
        num_layers=SETTINGS.encoder_layers,
        num_decoder_layers=SETTINGS.decoder_layers,
        num_heads=SETTINGS.heads,
        relative_attention_num_buckets=SETTINGS.buckets,
        relative_attention_max_distance=SETTINGS.max_bucket_distance,
        feed_forward_proj="gated-silu" if activation == "swiglu" else activation,
        tie_word_embeddings=False,
        pad_token_id=PADDING,
        decoder_start_token_id=PADDING,
        attn_implementation="eager",
    )
    return T5ForConditionalGeneration(config).eval()


@torch.no_grad()
def copy_attention(ours, theirs):
    copy(ours.key, theirs.k)
    copy(ours.value, theirs.v)
    copy(ours.output, theirs.o)
    theirs.q.weight.copy_(ours.query.weight / math.sqrt(KEY_WIDTH))


def copy_feed_forward(ours, theirs):
    if hasattr(ours, "gate"):
        copy(ours.gate, theirs.wi_0)
        copy(ours.inner, theirs.wi_1)
    else:
        copy(ours.inner, theirs.wi)
    copy(ours.output, theirs.wo)


@torch.no_grad()
def copy_stack(layers, last_norm, embedding, theirs):
    theirs.embed_tokens.weight.copy_(embedding.table.weight * math.sqrt(SETTINGS.width))
    copy(last_norm, theirs.final_layer_norm)
    first = theirs.block[0].layer[0].SelfAttention.relative_attention_bias
    first.weight.copy_(layers[0].attention.offsets.table.T)
    for ours, block in zip(layers, theirs.block, strict=True):
        parts = block.layer
        copy_attention(ours.attention, parts[0].SelfAttention)
        copy(ours.around_attention.norm, parts[0].layer_norm)
        if len(parts) == 3:
            copy_attention(ours.source_attention, parts[1].EncDecAttention)
            copy(ours.around_source_attention.norm, parts[1].layer_norm)
        copy_feed_forward(ours.feed_forward, parts[-1].DenseReluDense)
        copy(ours.around_feed_forward.norm, parts[-1].layer_norm)


def both(activation):
    torch.manual_seed(3)
    settings = SETTINGS.model_copy(update={"activation": activation})
    ours = scramble(Transformer(settings, WORDS, WORDS, padding=PADDING)).eval()
    theirs = t5(activation)
    for stack in (theirs.encoder, theirs.decoder):  # tied there, whatever the configuration says
        stack.embed_tokens = nn.Embedding(WORDS, SETTINGS.width)
    copy_stack(ours.encoder, ours.encoder_norm, ours.source_embedding, theirs.encoder)
    copy_stack(ours.decoder, ours.decoder_norm, ours.target_embedding, theirs.decoder)
    copy(ours.output, theirs.lm_head)
    return ours, theirs


def batch():
    torch.manual_seed(4)
    read, written = torch.randint(4, WORDS, (3, 14)), torch.randint(4, WORDS, (3, 13))
    read[1, 5:] = read[2, 2:] = PADDING
    return read, written


def scores_of(theirs, read, written):
    assert not theirs.config.scale_decoder_outputs
    with torch.no_grad():
        seen = read.ne(PADDING).long()
        return theirs(input_ids=read, attention_mask=seen, decoder_input_ids=written).logits


@pytest.mark.parametrize("activation", ["relu", "swiglu"])
def test_t5_with_our_weights_gives_our_scores(activation):
    ours, theirs = both(activation)
    read, written = batch()
    wanted = scores_of(theirs, read, written)
    torch.testing.assert_close(ours(read, written), wanted, atol=1e-4, rtol=1e-4)


def test_t5_disagrees_where_a_single_number_of_the_buckets_differs():
    ours, theirs = both("relu")
    with torch.no_grad():
        ours.encoder[0].attention.offsets.table[2, 3] += 1.0
    read, written = batch()
    assert (ours(read, written) - scores_of(theirs, read, written)).abs().max() > 1e-3


def test_all_layers_of_a_stack_share_one_table_and_the_stacks_do_not():
    ours, _ = both("relu")
    encoder = {id(layer.attention.offsets.table) for layer in ours.encoder}
    decoder = {id(layer.attention.offsets.table) for layer in ours.decoder}
    assert len(encoder) == len(decoder) == 1
    assert encoder != decoder
    assert all(layer.source_attention.offsets is None for layer in ours.decoder)
