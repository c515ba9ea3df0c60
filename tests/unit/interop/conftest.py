"""Small checkpoints that transformers wrote, and what its networks make of tokens."""

import json
from types import SimpleNamespace

import pytest
import torch
from tests.oracles import scramble
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertForPreTraining,
    BertForSequenceClassification,
    BertModel,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    RobertaConfig,
    RobertaForMaskedLM,
    RobertaForSequenceClassification,
    T5Config,
    T5ForConditionalGeneration,
)


def gpt2(**changes):
    chosen = {"vocab_size": 37, "n_positions": 19, "n_embd": 12, "n_layer": 2, "n_head": 3}
    return GPT2LMHeadModel(
        GPT2Config(**{**chosen, "bos_token_id": 1, "eos_token_id": 1, **changes})
    )


def llama(**changes):
    chosen = {
        "vocab_size": 37,
        "hidden_size": 12,
        "intermediate_size": 20,
        "num_hidden_layers": 2,
        "num_attention_heads": 6,
        "max_position_embeddings": 32,
    }
    return LlamaForCausalLM(LlamaConfig(**{**chosen, **changes}))


def t5(**changes):
    chosen = {
        "vocab_size": 31,
        "d_model": 10,
        "d_kv": 5,
        "d_ff": 14,
        "num_layers": 1,
        "num_decoder_layers": 2,
        "num_heads": 3,
        "relative_attention_num_buckets": 8,
        "relative_attention_max_distance": 10,
        "decoder_start_token_id": 0,
    }
    return T5ForConditionalGeneration(T5Config(**{**chosen, **changes}))


ENCODER = {
    "vocab_size": 33,
    "hidden_size": 12,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 20,
    "max_position_embeddings": 21,
}


def bert(kind=BertForPreTraining, **changes):
    return kind(BertConfig(**{**ENCODER, **changes}))


def roberta(kind=RobertaForMaskedLM, **changes):
    return kind(RobertaConfig(**{**ENCODER, "type_vocab_size": 1, **changes}))


def t5_with_its_own_output(**changes):
    model = t5(tie_word_embeddings=False, **changes)
    model.lm_head.weight = torch.nn.Parameter(torch.randn_like(model.lm_head.weight))
    return model


CASES = {
    "GPT-2": gpt2,
    "GPT-2, odd inner width, ReLU": lambda: gpt2(n_inner=17, activation_function="relu"),
    "GPT-2, exact GELU, one head": lambda: gpt2(activation_function="gelu", n_head=1),
    "GPT-2, two tables": lambda: gpt2(tie_word_embeddings=False),
    "Llama": llama,
    "Llama, grouped queries": lambda: llama(num_key_value_heads=2),
    "Llama, one head of keys": lambda: llama(num_key_value_heads=1, vocab_size=41),
    "Llama, wide heads": lambda: llama(num_key_value_heads=3, head_dim=8),
    "Llama, tied": lambda: llama(tie_word_embeddings=True),
    "T5": t5,
    "T5, gated by SiLU": lambda: t5(feed_forward_proj="gated-silu"),
    "T5, tied, not scaled": lambda: t5(tie_word_embeddings=False),
    "T5, an output of its own": t5_with_its_own_output,
    "BERT, all heads": bert,
    "BERT, words only": lambda: bert(BertForMaskedLM),
    "BERT, ReLU, three segments": lambda: bert(hidden_act="relu", type_vocab_size=3),
    "BERT, tanh GELU": lambda: bert(hidden_act="gelu_new"),
    "BERT, no head": lambda: bert(BertModel),
    "BERT, five classes": lambda: bert(BertForSequenceClassification, num_labels=5),
    "RoBERTa": roberta,
    "RoBERTa, another padding": lambda: roberta(pad_token_id=4),
    "RoBERTa, three classes": lambda: roberta(RobertaForSequenceClassification, num_labels=3),
}


def written(build, folder):
    """Let transformers write a network with shaken weights."""
    torch.manual_seed(7)
    theirs = scramble(build()).eval()
    theirs.save_pretrained(folder)
    return theirs


@pytest.fixture(scope="session", params=CASES.values(), ids=CASES.keys())
def case(request, tmp_path_factory):
    """Give each checkpoint, written once: its folder, and their network. Do not change either."""
    folder = tmp_path_factory.mktemp("theirs")
    return SimpleNamespace(folder=folder, theirs=written(request.param, folder))


@pytest.fixture
def checkpoint(tmp_path):
    """Give a function that writes one checkpoint and changes its settings file."""

    def write(build, **changes):
        folder = tmp_path / "theirs"
        theirs = written(build, folder)
        values = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps({**values, **changes}))
        return SimpleNamespace(folder=folder, theirs=theirs)

    return write
