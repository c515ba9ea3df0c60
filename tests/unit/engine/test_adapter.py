"""Adapters on disk: stored alone, and put on the weights that they belong to."""

import json

import pytest
import torch
from tests.adapted import decoder_only, encoder, scores, train, transformer

from dragoman.config.start import FrozenStart, FullStart, LoraStart, PrefixStart
from dragoman.core.errors import CheckpointError
from dragoman.engine.checkpoint.adapter import adapter_weights, load_adapter, save_adapter
from dragoman.engine.checkpoint.weights import load_weights, weights_of
from dragoman.neural.adapt.adapting import adapt
from dragoman.neural.adapt.lora import merge
from dragoman.tasks.translation.attention import kinds_of

STARTS = {
    "frozen": FrozenStart(run="base", trainable=("norms",), last_layers=1),
    "lora": LoraStart(run="base", rank=2, dropout=0.1, target_modules=("query", "inner")),
    "prefix": PrefixStart(run="base", length=3),
    "prefix, through": PrefixStart(run="base", length=3, projection_width=5),
}
EVERY = pytest.mark.parametrize("start", STARTS.values(), ids=STARTS.keys())


def stored(folder, start, build=transformer, new=()):
    """Adapt, train and store; return the network."""
    model = build()
    adapt(model, start, new)
    train(model, steps=2, rate=0.1)
    save_adapter(folder, model, start, new)
    return model


@EVERY
@pytest.mark.parametrize("build", [transformer, decoder_only])
def test_put_on_its_base_an_adapter_gives_the_same_scores(tmp_path, start, build):
    model = stored(tmp_path, start, build)
    fresh = build()
    assert not torch.equal(scores(fresh), scores(model))
    settings = load_adapter(tmp_path, fresh)
    assert torch.equal(scores(fresh), scores(model))
    assert settings.method == start.method
    assert str(settings.run) == "base"


@EVERY
def test_the_head_that_is_new_comes_with_it(tmp_path, start):
    model = stored(tmp_path, start, encoder, new=["classes_head"])
    fresh = encoder()
    with torch.no_grad():
        fresh.classes_head.weight.normal_()  # nobody knows what a new head began with
    load_adapter(tmp_path, fresh)
    assert torch.equal(scores(fresh), scores(model))


def test_only_what_was_learned_is_stored(tmp_path):
    model = stored(tmp_path, STARTS["prefix, through"], decoder_only)
    assert set(adapter_weights(model)) == {
        f"layers.{n}.attention.prefix.{part}" for n in (0, 1) for part in ("keys", "values")
    }
    told = json.loads((tmp_path / "adapter.json").read_text())
    assert (
        told["start"].items() >= {"from": "base", "method": "prefix", "projection_width": 5}.items()
    )


@EVERY
def test_an_adapted_network_resumes_like_any_other(tmp_path, start):
    model = stored(tmp_path, start)
    again = transformer()
    adapt(again, start)
    load_weights(again, weights_of(model), tmp_path)
    assert torch.equal(scores(again), scores(model))
    losses = []
    for each in (model, again):
        torch.manual_seed(4)  # dropout
        losses.append(train(each, 2))
    assert losses[0] == losses[1]


@EVERY
def test_other_weights_are_refused(tmp_path, start):
    stored(tmp_path, start)
    other = transformer()
    with torch.no_grad():
        other.encoder[0].attention.key.weight[0, 0] += 1e-6
    with pytest.raises(CheckpointError) as error:
        load_adapter(tmp_path, other)
    assert str(error.value) == (
        f"{tmp_path}: this adapter belongs to other weights than these. Use the run that it was "
        "trained from (base)."
    )


def test_a_merged_adapter_is_not_stored(tmp_path):
    model = transformer()
    adapt(model, STARTS["lora"])
    merge(model)
    with pytest.raises(CheckpointError, match="Unmerge it first"):
        save_adapter(tmp_path, model, STARTS["lora"])


def test_a_network_trained_in_full_has_none(tmp_path):
    with pytest.raises(CheckpointError, match="has no adapter"):
        save_adapter(tmp_path, transformer(), FullStart(run="base"))


DAMAGES = {
    "no words": lambda folder: (folder / "adapter.json").unlink(),
    "no JSON": lambda folder: (folder / "adapter.json").write_text("{"),
    "no object": lambda folder: (folder / "adapter.json").write_text("[1]"),
    "another format": lambda folder: change(folder, format=2),
    "another way": lambda folder: change(folder, start={"method": "magic", "from": "base"}),
    "another rank": lambda folder: change(
        folder,
        start={"method": "lora", "from": "base", "rank": 3, "target_modules": ["query", "inner"]},
    ),
    "other targets": lambda folder: change(folder, start={"method": "lora", "from": "base"}),
    "other tensors": lambda folder: damage(folder / "adapter.safetensors"),
}


def change(folder, **told):
    path = folder / "adapter.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | told))


def damage(path):
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("harm", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_adapter_is_refused(tmp_path, harm):
    stored(tmp_path, STARTS["lora"])
    harm(tmp_path)
    with pytest.raises(CheckpointError, match=str(tmp_path)):
        load_adapter(tmp_path, transformer())


def test_attention_is_seen_behind_a_prefix():
    model = transformer(encoder_layers=1, decoder_layers=1)
    adapt(model, STARTS["prefix"])
    assert kinds_of(model) == {
        "encoder.0.attention": "source",
        "decoder.0.attention": "target",
        "decoder.0.source_attention": "across",
    }
