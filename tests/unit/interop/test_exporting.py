"""What was imported goes back: transformers loads it, misses nothing and gives the same scores."""

import json

import pytest
import torch
import transformers
from safetensors.torch import save_file
from tests.unit.interop.outputs import asked
from tests.unit.interop.test_families import imported

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.encoder import EncoderSettings
from dragoman.config.transformer import TransformerSettings
from dragoman.core.errors import CheckpointError, ConfigError
from dragoman.engine.checkpoint.weights import weights_of
from dragoman.interop.exporting import to_their_format
from dragoman.interop.families.catalogue import FAMILIES
from dragoman.interop.network import network


def reread(values, given, folder):
    """Let transformers read what we wrote; return its network and what it says about loading."""
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(values))
    save_file(given, folder / "model.safetensors", metadata={"format": "pt"})
    kind = getattr(transformers, values["architectures"][0])
    return kind.from_pretrained(folder, output_loading_info=True)


def exported(family, settings, words, tensors, folder, padding=None):
    values, given = to_their_format(FAMILIES[family], settings, words, tensors, folder, padding)
    return reread(values, given, folder)


def test_what_was_imported_goes_back(case, tmp_path):
    plan, tensors, _ = imported(case.folder)
    config = case.theirs.config
    again, told = exported(
        config.model_type,
        plan.settings,
        plan.vocab_size,
        tensors,
        tmp_path / "back",
        config.pad_token_id,
    )
    assert type(again) is type(case.theirs)
    assert not any(told[what] for what in ("missing_keys", "unexpected_keys", "mismatched_keys"))
    for found, wanted in zip(asked(again.eval()), asked(case.theirs), strict=True):
        torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)


OURS = {
    "gpt2": DecoderOnlySettings(width=12, heads=3, layers=1, ffn_width=8, positions="learned"),
    "llama": DecoderOnlySettings(
        width=12,
        heads=3,
        layers=1,
        ffn_width=8,
        positions="rotary",
        normalization="rms",
        activation="swiglu",
        biases=False,
    ),
    "t5": TransformerSettings(
        width=12,
        heads=3,
        encoder_layers=1,
        decoder_layers=1,
        ffn_width=8,
        positions="t5",
        normalization="rms",
        biases=False,
    ),
    "bert": EncoderSettings(width=12, heads=3, layers=1, ffn_width=8, segments=2),
}


@pytest.mark.parametrize("family", OURS)
def test_a_network_made_here_can_be_read_there(family, tmp_path):
    weights = weights_of(network(OURS[family], 19))
    _, told = exported(family, OURS[family], 19, weights, tmp_path / "there")
    assert not told["missing_keys"]
    assert not told["unexpected_keys"]


CANNOT = {
    "GPT-2 has biases": ("gpt2", {"biases": False}, "model.biases = False"),
    "GPT-2 norms first": ("gpt2", {"norm": "post"}, "model.norm = 'post'"),
    "GPT-2 has no RMS norm": ("gpt2", {"normalization": "rms"}, "model.normalization = 'rms'"),
    "GPT-2 has no gate": ("gpt2", {"activation": "swiglu"}, "activation_function = 'swiglu': only"),
    "GPT-2 shares no keys": ("gpt2", {"key_value_heads": 1}, "model.key_value_heads = 1"),
    "Llama has a gate": ("llama", {"activation": "relu"}, "model.activation = 'relu'"),
    "T5's sides are alike": ("t5", {"decoder_heads": 2}, "model.decoder_heads = 2"),
    "BERT's heads": ("bert", {"pooler": True}, "no class of transformers has just these heads"),
    "BERT does not scale": ("bert", {"scale_embeddings": True}, "model.scale_embeddings = True"),
}


@pytest.mark.parametrize(("family", "change", "told"), CANNOT.values(), ids=CANNOT.keys())
def test_a_network_that_they_do_not_have_is_refused(family, change, told, tmp_path):
    kind = type(OURS[family])
    settings = kind.model_validate({**OURS[family].model_dump(), **change})
    weights = weights_of(network(settings, 19))
    with pytest.raises((ConfigError, CheckpointError), match=told):
        to_their_format(FAMILIES[family], settings, 19, weights, tmp_path)


def test_sides_that_have_become_different_are_not_made_one(tmp_path):
    settings = OURS["t5"].model_copy(update={"tied": "none"})
    weights = weights_of(network(settings, 19))
    with pytest.raises(CheckpointError, match="different numbers in what is one tensor there"):
        to_their_format(FAMILIES["t5"], settings, 19, weights, tmp_path)
