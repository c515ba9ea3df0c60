"""GPT-2, Llama and MPT with our weights give our scores of a plain text."""

import math

import pytest
import torch
from tests.oracles import copy, scramble
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    MptConfig,
    MptForCausalLM,
)

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.neural.models.decoder_only import DecoderOnly

WORDS, WIDTH, LAYERS, LONGEST = 30, 24, 2, 16
TEXT = torch.randint(4, WORDS, (3, 11), generator=torch.Generator().manual_seed(4))


def model(**changes):
    torch.manual_seed(3)
    settings = DecoderOnlySettings(width=WIDTH, layers=LAYERS, max_positions=LONGEST, **changes)
    return scramble(DecoderOnly(settings, WORDS, WORDS, prompt_end=9)).eval()


@torch.no_grad()
def copy_words(ours, table, output):
    """Others do not scale embeddings by √d."""
    table.weight.copy_(ours.embedding.table.weight * math.sqrt(WIDTH))
    output.weight = torch.nn.Parameter(ours.output.weight.clone())


@torch.no_grad()
def copy_turned(ours, theirs):
    """GPT-2 keeps its matrices turned."""
    theirs.weight.copy_(ours.weight.T)
    theirs.bias.copy_(ours.bias)


@torch.no_grad()
def gpt2():
    ours = model(heads=4, ffn_width=32, positions="learned", activation="gelu-tanh")
    config = GPT2Config(
        vocab_size=WORDS,
        n_positions=LONGEST,
        n_embd=WIDTH,
        n_layer=LAYERS,
        n_head=4,
        n_inner=32,
        bos_token_id=2,
        eos_token_id=3,
        attn_implementation="eager",
    )
    theirs = GPT2LMHeadModel(config).eval()
    copy_words(ours, theirs.transformer.wte, theirs.lm_head)
    copy(ours.embedding.positions.table, theirs.transformer.wpe)
    copy(ours.last_norm, theirs.transformer.ln_f)
    for mine, other in zip(ours.layers, theirs.transformer.h, strict=True):
        parts = (mine.attention.query, mine.attention.key, mine.attention.value)
        other.attn.c_attn.weight.copy_(torch.cat([part.weight for part in parts]).T)
        other.attn.c_attn.bias.copy_(torch.cat([part.bias for part in parts]))
        copy_turned(mine.attention.output, other.attn.c_proj)
        copy_turned(mine.feed_forward.inner, other.mlp.c_fc)
        copy_turned(mine.feed_forward.output, other.mlp.c_proj)
        copy(mine.around_attention.norm, other.ln_1)
        copy(mine.around_feed_forward.norm, other.ln_2)
    return ours, theirs


def llama(key_value_heads=2):
    ours = model(
        heads=6,
        key_value_heads=key_value_heads,
        key_width=8,
        value_width=8,
        ffn_width=32,
        positions="rotary",
        normalization="rms",
        activation="swiglu",
        biases=False,
        tied=False,
    )
    config = LlamaConfig(
        vocab_size=WORDS,
        hidden_size=WIDTH,
        intermediate_size=32,
        num_hidden_layers=LAYERS,
        num_attention_heads=6,
        num_key_value_heads=key_value_heads,
        head_dim=8,
        rms_norm_eps=1e-6,
        max_position_embeddings=LONGEST,
        tie_word_embeddings=False,
        pad_token_id=0,
        bos_token_id=2,
        eos_token_id=3,
        attn_implementation="eager",
    )
    theirs = LlamaForCausalLM(config).eval()
    copy_words(ours, theirs.model.embed_tokens, theirs.lm_head)
    copy(ours.last_norm, theirs.model.norm)
    for mine, other in zip(ours.layers, theirs.model.layers, strict=True):
        copy(mine.attention.query, other.self_attn.q_proj)
        copy(mine.attention.key, other.self_attn.k_proj)
        copy(mine.attention.value, other.self_attn.v_proj)
        copy(mine.attention.output, other.self_attn.o_proj)
        copy(mine.feed_forward.gate, other.mlp.gate_proj)
        copy(mine.feed_forward.inner, other.mlp.up_proj)
        copy(mine.feed_forward.output, other.mlp.down_proj)
        copy(mine.around_attention.norm, other.input_layernorm)
        copy(mine.around_feed_forward.norm, other.post_attention_layernorm)
    return ours, theirs


@torch.no_grad()
def mpt(heads=6):
    ours = model(
        heads=heads, ffn_width=4 * WIDTH, positions="alibi", activation="gelu", biases=False
    )
    for module in ours.modules():
        if isinstance(module, torch.nn.LayerNorm):
            module.bias.zero_()  # MPT has none
    config = MptConfig(
        vocab_size=WORDS,
        d_model=WIDTH,
        n_layers=LAYERS,
        n_heads=heads,
        max_seq_len=LONGEST,
        bos_token_id=2,
        eos_token_id=3,
    )
    theirs = MptForCausalLM(config).eval()
    copy_words(ours, theirs.transformer.wte, theirs.lm_head)
    theirs.transformer.norm_f.weight.copy_(ours.last_norm.weight)
    for mine, other in zip(ours.layers, theirs.transformer.blocks, strict=True):
        parts = (mine.attention.query, mine.attention.key, mine.attention.value)
        other.attn.Wqkv.weight.copy_(torch.cat([part.weight for part in parts]))
        copy(mine.attention.output, other.attn.out_proj)
        copy(mine.feed_forward.inner, other.ffn.up_proj)
        copy(mine.feed_forward.output, other.ffn.down_proj)
        other.norm_1.weight.copy_(mine.around_attention.norm.weight)
        other.norm_2.weight.copy_(mine.around_feed_forward.norm.weight)
    return ours, theirs


ORACLES = {
    "GPT-2": gpt2,
    "Llama": llama,
    "Llama, one head of keys": lambda: llama(1),
    "MPT, six heads": mpt,
    "MPT, four heads": lambda: mpt(4),
}


@pytest.mark.parametrize("build", ORACLES.values(), ids=ORACLES.keys())
def test_they_give_our_scores(build):
    ours, theirs = build()
    with torch.no_grad():
        found, wanted = ours.output(ours.read(TEXT)), theirs(input_ids=TEXT).logits
    assert wanted.std() > 0.1
    torch.testing.assert_close(found, wanted, atol=1e-4, rtol=1e-4)


SHAKEN = {
    "GPT-2": (gpt2, lambda layer: layer.attention.value.bias),
    "Llama": (llama, lambda layer: layer.attention.key.weight[3]),
    "MPT": (mpt, lambda layer: layer.attention.query.weight[5]),
}


@pytest.mark.parametrize(("build", "part"), SHAKEN.values(), ids=SHAKEN.keys())
def test_they_disagree_where_a_little_differs(build, part):
    ours, theirs = build()
    with torch.no_grad():
        part(ours.layers[0])[:] += 0.5
        found, wanted = ours.output(ours.read(TEXT)), theirs(input_ids=TEXT).logits
    assert (found - wanted).abs().max() > 1e-3
