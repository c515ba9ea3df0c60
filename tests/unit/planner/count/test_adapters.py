"""Runs that start from another: LoRA, prefixes and frozen parts, counted and trained alike."""

import pytest
from tests.unit.planner.count.networks import (
    adapted,
    build,
    torch_flops,
    trained_weights,
    weights,
)
from tests.unit.planner.count.test_families import FAMILIES

from dragoman.config.start import FrozenStart, FullStart, LoraStart, PrefixStart
from dragoman.core.errors import ConfigError
from dragoman.planner.count.families import count_network

ATTENTION = ("query", "key", "value", "output")
STARTS = {
    "full": FullStart(run="base"),
    "lora": LoraStart(run="base", rank=2),
    "lora everywhere": LoraStart(
        run="base", rank=3, target_modules=(*ATTENTION, "inner", "outer"), dropout=0.1
    ),
    "lora and embeddings": LoraStart(run="base", rank=2, trainable=("embeddings", "norms")),
    "prefix": PrefixStart(run="base", length=4),
    "prefix through a network": PrefixStart(run="base", length=4, projection_width=5),
    "prefix and biases": PrefixStart(run="base", length=2, trainable=("biases",)),
}
NETWORKS = ("transformer shaw", "transformer t5", "decoder-only rotary", "encoder relative")


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(
    "name", [NETWORKS[0], *(pytest.param(one, marks=pytest.mark.slow) for one in NETWORKS[1:])]
)
def test_an_adapted_network_is_counted_as_it_is_trained(name, start):
    settings, sizes = FAMILIES[name]
    model = adapted(build(settings, sizes), STARTS[start])
    total = count_network(settings, sizes, STARTS[start]).total
    assert (total.parameters, total.trained) == (weights(model), trained_weights(model))
    assert (total.forward, total.backward) == torch_flops(model, sizes)


FROZEN = {
    "last layers": ("transformer sinusoidal", FrozenStart(run="base", last_layers=1)),
    "output, which is tied": ("decoder-only none", FrozenStart(run="base", trainable=("output",))),
    "a part of a layer": (
        "transformer none", FrozenStart(run="base", trainable=("decoder.1.attention",))
    ),
    "norms and biases": (
        "encoder learned", FrozenStart(run="base", trainable=("norms", "biases"))
    ),
    "embeddings": ("transformer untied", FrozenStart(run="base", trainable=("embeddings",))),
    "a recurrent layer": ("classifier, gru", FrozenStart(run="base", last_layers=1)),
    "a shared position bias": (
        "transformer t5",
        FrozenStart(run="base", trainable=("encoder.0.attention.offsets", "decoder_norm")),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FROZEN)
def test_frozen_parts_are_told_by_their_names(case):
    name, start = FROZEN[case]
    settings, sizes = FAMILIES[name]
    model = adapted(build(settings, sizes), start)
    total = count_network(settings, sizes, start).total
    assert (total.parameters, total.trained) == (weights(model), trained_weights(model))
    assert total.trained < total.parameters
    assert (total.forward, total.backward) == torch_flops(model, sizes)


def test_new_heads_are_trained_whatever_is_frozen():
    settings, sizes = FAMILIES["encoder classes"]
    start, new = LoraStart(run="base", rank=2), ("pooler", "classes_head")
    model = adapted(build(settings, sizes), start, new)
    total = count_network(settings, sizes, start, new=new).total
    assert total.trained == trained_weights(model)
    assert total.trained > count_network(settings, sizes, start).total.trained


@pytest.mark.parametrize("name", ["transformer relative", "decoder-only none"])
def test_gradient_checkpointing_runs_the_layers_again(name):
    settings, sizes = FAMILIES[name]
    model = build(settings, sizes)
    model.checkpointing = True
    plain = count_network(settings, sizes).total
    again = count_network(settings, sizes, checkpointing=True).total
    assert (again.forward, again.backward) == torch_flops(model, sizes)
    assert again.backward > plain.backward
    assert again.activations < plain.activations
    assert again.parameters == plain.parameters


@pytest.mark.parametrize(
    ("name", "start", "missing"),
    [
        ("transformer none", LoraStart(run="base", target_modules=("query", "gate")), "gate"),
        ("classifier, gru", LoraStart(run="base"), "query, value"),
        ("cnn", PrefixStart(run="base"), "prefix"),
    ],
)
def test_an_adapter_without_a_place_is_refused_as_in_training(name, start, missing):
    settings, sizes = FAMILIES[name]
    with pytest.raises(ConfigError, match=f"has no layer for {missing}"):
        count_network(settings, sizes, start)
    with pytest.raises(ConfigError):
        adapted(build(settings, sizes), start)
