"""Every tensor is accounted for, and nothing of a settings file is ignored."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file
from tests.unit.interop.conftest import bert, gpt2, llama, roberta, t5
from transformers import BertForMaskedLM, BertModel

from dragoman.core.errors import CheckpointError, ConfigError
from dragoman.interop.families.catalogue import family_of
from dragoman.interop.foreign import read_settings
from dragoman.interop.network import take
from dragoman.interop.table import AllowedNames
from dragoman.interop.tensor_source import StoredFolder


def take_over(folder, allowed=None, ignored=(), saved_from=None):
    values = read_settings(folder)
    if saved_from:
        values["architectures"] = [saved_from]
    stored = StoredFolder(folder)
    plan = family_of(values, str(folder)).plan(values, stored, ignored)
    return take(plan, stored, allowed or AllowedNames())


def change(folder, **changes):
    """Put tensors into a checkpoint, or take away those that are None."""
    path = folder / "model.safetensors"
    tensors = {**load_file(path), **changes}
    kept = {name: tensor for name, tensor in tensors.items() if tensor is not None}
    save_file(kept, path, metadata={"format": "pt"})


def test_all_that_is_missing_or_left_over_is_named_at_once(checkpoint):
    folder = checkpoint(gpt2).folder
    lost = {"transformer.ln_f.bias": None, "transformer.h.1.mlp.c_fc.weight": None}
    change(folder, **lost, extra=torch.zeros(2), another=torch.zeros(3))
    with pytest.raises(CheckpointError) as refused:
        take_over(folder)
    for name in ("ln_f.bias", "h.1.mlp.c_fc.weight", "extra", "another"):
        assert name in str(refused.value)


def test_names_of_another_family_are_not_begun_afresh(checkpoint):
    """As happened to BERTweet, whose roberta.* tensors were all left out of a BERT."""
    folder = checkpoint(roberta, model_type="bert", architectures=["BertForMaskedLM"]).folder
    with pytest.raises(CheckpointError, match=r"roberta\.embeddings\.word_embeddings\.weight"):
        take_over(folder)


def test_what_is_allowed_by_name_begins_afresh_or_stays_out(checkpoint):
    folder = checkpoint(gpt2).folder
    change(folder, **{"transformer.ln_f.bias": None}, extra=torch.zeros(2))
    tensors, account = take_over(folder, AllowedNames(("ln_f.bias",), ("ext*",)))
    assert account.missing == ("ln_f.bias",)
    assert account.unused == ("extra",)
    assert torch.equal(tensors["last_norm.bias"], torch.zeros(12))


def test_a_permission_that_nothing_needs_is_refused(checkpoint):
    with pytest.raises(CheckpointError, match="--allow-missing ln_g.bias fits no such tensor"):
        take_over(checkpoint(gpt2).folder, AllowedNames(missing=("ln_g.bias",)))


def test_a_network_without_a_words_head_can_get_a_fresh_one(checkpoint):
    folder = checkpoint(lambda: bert(BertModel)).folder
    with pytest.raises(CheckpointError, match=r"cls\.predictions\.bias"):
        take_over(folder, saved_from="BertForMaskedLM")
    allowed = AllowedNames(missing=("cls.predictions.*",), unused=("pooler.*",))
    tensors, account = take_over(folder, allowed, saved_from="BertForMaskedLM")
    assert len(account.missing) == 5
    assert tensors["words_head.inner.weight"].std() > 0


def test_masks_and_counted_positions_are_no_weights(checkpoint):
    folder = checkpoint(gpt2).folder
    mask = torch.ones(1, 1, 19, 19, dtype=torch.bool)
    change(
        folder, **{"transformer.h.0.attn.bias": mask, "h.1.attn.masked_bias": torch.tensor(-1e4)}
    )
    _, account = take_over(folder)
    assert len(account.dropped) == 2


def test_old_names_of_norms_are_understood(checkpoint):
    folder = checkpoint(bert).folder
    tensors = load_file(folder / "model.safetensors")
    old = {
        n.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        ): t
        for n, t in tensors.items()
    }
    before, _ = take_over(folder)
    save_file(old, folder / "model.safetensors")
    after, _ = take_over(folder)
    assert all(torch.equal(before[name], after[name]) for name in before)


@pytest.mark.parametrize("same", [True, False])
def test_a_tied_output_may_be_stored_only_if_it_repeats_the_table(checkpoint, same):
    folder = checkpoint(gpt2).folder
    table = load_file(folder / "model.safetensors")["transformer.wte.weight"]
    change(folder, **{"lm_head.weight": table.clone() if same else table + 1})
    if same:
        assert take_over(folder)[1].copies == {"lm_head.weight": "wte.weight"}
    else:
        with pytest.raises(CheckpointError, match="lm_head.weight should repeat wte.weight"):
            take_over(folder)


def test_tensors_of_another_shape_are_all_named_before_any_is_read(checkpoint):
    folder = checkpoint(llama, hidden_size=18, head_dim=2).folder
    with pytest.raises(CheckpointError, match=r"model.embed_tokens.weight \[37, 12\]"):
        take_over(folder)


def test_a_vast_network_that_is_not_there_takes_no_memory(checkpoint):
    folder = checkpoint(llama, hidden_size=60_000, intermediate_size=900_000).folder
    with pytest.raises(CheckpointError, match="another shape"):
        take_over(folder)


REFUSED = {
    "rope scaling": (llama, {"rope_scaling": {"type": "linear", "factor": 2.0}}, "rope_scaling = "),
    "newer rope scaling": (
        llama,
        {"rope_parameters": {"rope_type": "llama3", "rope_theta": 1e4}},
        r"rope_parameters.rope_type = 'llama3': only 'default' is supported",
    ),
    "sliding window": (llama, {"sliding_window": 128}, "sliding_window = 128: is not supported"),
    "attention biases": (llama, {"attention_bias": True}, "attention_bias = True: only False"),
    "other activation": (llama, {"hidden_act": "gelu"}, "hidden_act = 'gelu': only 'silu'"),
    "scores by layer": (
        gpt2,
        {"scale_attn_by_inverse_layer_idx": True},
        "scale_attn_by_inverse_layer_idx = True: only False",
    ),
    "unscaled scores": (gpt2, {"scale_attn_weights": False}, "scale_attn_weights = False"),
    "gated GELU": (t5, {"feed_forward_proj": "gated-gelu"}, "feed_forward_proj = 'gated-gelu'"),
    "relative BERT": (
        bert,
        {"position_embedding_type": "relative_key"},
        "position_embedding_type = 'relative_key': only 'absolute'",
    ),
    "untied words": (lambda: bert(BertForMaskedLM), {"tie_word_embeddings": False}, "two biases"),
    "a bent RoBERTa": (roberta, {"hidden_act": "relu"}, "words head always is"),
    "unknown key": (gpt2, {"experts": 8}, "experts = 8: unknown"),
    "code of its own": (gpt2, {"auto_map": {"AutoModel": "x.Y"}}, "auto_map = .*unknown"),
    "no number": (gpt2, {"n_head": "3"}, "n_head = '3'"),
    "no size": (gpt2, {"n_embd": -12}, "width = -12"),
    "other family": (gpt2, {"model_type": "gpt3"}, "model_type = 'gpt3' cannot be imported"),
    "other class": (gpt2, {"architectures": ["GPT2Mine"]}, "GPT2LMHeadModel, GPT2Model"),
}


@pytest.mark.parametrize(("build", "changes", "told"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_built_is_refused_by_name(checkpoint, build, changes, told):
    with pytest.raises(ConfigError, match=told):
        take_over(checkpoint(build, **changes).folder)


def test_a_key_can_be_passed_over_by_name(checkpoint):
    tensors, _ = take_over(checkpoint(gpt2, experts=8).folder, ignored=("experts",))
    assert tensors


def split(folder, place="model-00002-of-00002.safetensors"):
    """Split a checkpoint into two files with an index."""
    tensors = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    names = sorted(tensors)
    parts = {"model-00001-of-00002.safetensors": names[::2], place: names[1::2]}
    for file, some in parts.items():
        save_file({name: tensors[name] for name in some}, folder / file)
    index = {"weight_map": {name: file for file, some in parts.items() for name in some}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return index


def test_a_checkpoint_in_several_files_is_the_same(checkpoint):
    folder = checkpoint(gpt2).folder
    before, _ = take_over(folder)
    split(folder)
    after, _ = take_over(folder)
    assert all(torch.equal(before[name], after[name]) for name in before)


@pytest.mark.parametrize(
    "name", ["../away.safetensors", "/away.safetensors", "..\\away.safetensors", "model.bin", ""]
)
def test_an_index_cannot_lead_out_of_its_folder(checkpoint, name):
    folder = checkpoint(gpt2).folder
    index = split(folder)
    index["weight_map"]["transformer.wte.weight"] = name
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(CheckpointError, match="not a safetensors file in this folder"):
        StoredFolder(folder)


def test_an_index_that_is_wrong_about_a_place_is_refused(checkpoint):
    folder = checkpoint(gpt2).folder
    index = split(folder)
    places = index["weight_map"]
    places["transformer.wte.weight"] = places["transformer.wpe.weight"]
    places["lost"] = places["transformer.wpe.weight"]
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(CheckpointError, match="lost"):
        StoredFolder(folder)


def test_a_pickle_is_not_read_and_the_way_round_it_is_told(tmp_path):
    (tmp_path / "pytorch_model.bin").write_bytes(b"never read")
    with pytest.raises(CheckpointError, match="convert it with transformers"):
        StoredFolder(tmp_path)


@pytest.mark.parametrize("content", [b"", b"\xff" * 40, b"\x08\0\0\0\0\0\0\0notjson!"])
def test_a_damaged_file_is_an_error_of_one_line(tmp_path, content):
    (tmp_path / "model.safetensors").write_bytes(content)
    with pytest.raises(CheckpointError, match="cannot be read as weights"):
        StoredFolder(tmp_path)


@pytest.mark.parametrize("content", ["", "[]", "{", "[" * 100_000])
def test_a_damaged_settings_file_is_an_error_of_one_line(tmp_path, content):
    (tmp_path / "config.json").write_text(content)
    with pytest.raises(ConfigError, match=r"config\.json: cannot be read"):
        read_settings(tmp_path)


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16, torch.float64])
def test_numbers_of_other_precision_become_float32(checkpoint, kind):
    folder = checkpoint(gpt2).folder
    tensors = load_file(folder / "model.safetensors")
    save_file(
        {name: tensor.to(kind) for name, tensor in tensors.items()}, folder / "model.safetensors"
    )
    taken, _ = take_over(folder)
    assert {tensor.dtype for tensor in taken.values()} == {torch.float32}


def test_whole_numbers_are_not_taken_for_weights(checkpoint):
    folder = checkpoint(gpt2).folder
    change(folder, **{"transformer.wpe.weight": torch.zeros(19, 12, dtype=torch.int8)})
    with pytest.raises(CheckpointError, match="holds I8, not plain numbers"):
        take_over(folder)
