"""A difference of low rank beside frozen matrices."""

import copy

import pytest
import torch
from tests.adapted import (
    MODERN,
    changed,
    copies,
    decoder_only,
    encoder,
    loss,
    read,
    recurrent,
    scores,
    train,
    transformer,
    written,
)
from torch import nn

from dragoman.config.optimizer import AdamW
from dragoman.config.start import LoraStart
from dragoman.core.errors import ConfigError
from dragoman.neural.adapt.lora import (
    LoraLinear,
    apply_lora,
    lora_matrices,
    matrices,
    merge,
    merge_for_good,
    unmerge,
)
from dragoman.neural.adapt.parts import trainable_count, trainable_parameters
from dragoman.neural.optim.optimizer import build_optimizer

LORA = LoraStart(run="base", rank=3, alpha=5.0)
EVERYWHERE = LORA.model_copy(
    update={"target_modules": ("query", "key", "value", "output", "inner", "outer")}
)
MODELS = {
    "transformer": transformer,
    "decoder-only": decoder_only,
    "decoder-only, modern": lambda: decoder_only(**MODERN),
    "encoder": encoder,
}
EVERY = pytest.mark.parametrize("build", MODELS.values(), ids=MODELS.keys())


@torch.no_grad()
def learned(model):
    """Give B numbers, as training would."""
    torch.manual_seed(8)
    for matrix in lora_matrices(model).values():
        matrix.up.weight.normal_()
    return model


def test_the_equation():
    base = nn.Linear(4, 3)
    adapted = LoraLinear(base, rank=2, scale=2.5)
    torch.manual_seed(1)
    nn.init.normal_(adapted.up.weight)
    x = torch.randn(5, 4)
    wanted = x @ base.weight.T + base.bias
    wanted += 2.5 * (x @ adapted.down.weight.T) @ adapted.up.weight.T
    torch.testing.assert_close(adapted(x), wanted)


def test_a_is_drawn_as_torch_draws_and_b_is_zero():
    torch.manual_seed(2)
    adapted = LoraLinear(nn.Linear(64, 32), rank=16, scale=1.0)
    bound = 1 / 64**0.5  # √(6 / (1 + 5)) / √64
    assert adapted.down.weight.abs().max() <= bound
    assert adapted.down.weight.std().item() == pytest.approx(bound / 3**0.5, rel=0.1)
    assert not adapted.up.weight.any()


def test_only_what_a_reads_is_dropped():
    adapted = LoraLinear(nn.Linear(1, 1), rank=1, scale=1.0, dropout=0.5).train()
    nn.init.ones_(adapted.down.weight)
    nn.init.ones_(adapted.up.weight)
    x = torch.ones(200, 1)
    straight = nn.functional.linear(x, adapted.weight, adapted.bias)
    assert set((adapted(x) - straight).round(decimals=3).flatten().tolist()) == {0.0, 2.0}
    torch.testing.assert_close(adapted.eval()(x), straight + 1)


@EVERY
def test_before_the_first_step_nothing_is_changed(build):
    model = build()
    before = scores(model)
    apply_lora(model, LORA)
    assert torch.equal(scores(model), before)


@EVERY
def test_only_a_and_b_learn(build):
    model = build()
    base = copies(model)
    apply_lora(model, LORA)
    before = copies(model)
    losses = train(model)
    assert losses[-1] < losses[0]
    assert not changed(base, model)
    assert changed(before, model) == set(trainable_parameters(model))
    assert {name.split(".", 4)[-1] for name in trainable_parameters(model)} <= {
        "down.weight",
        "up.weight",
    }


@EVERY
def test_the_base_keeps_its_names(build):
    model = build()
    names = set(copies(model))
    apply_lora(model, LORA)
    added = set(copies(model)) - names
    assert names < set(copies(model))
    assert added == set(trainable_parameters(model))


def test_the_count_is_rank_times_both_widths_for_each_matrix():
    model = transformer()
    apply_lora(model, LORA)
    attentions = 2 + 2 * 2  # two layers that read, and two that write and look across
    assert trainable_count(model) == attentions * 2 * 3 * (12 + 12)
    model = decoder_only(**MODERN)
    chosen = {"target_modules": ("query", "key", "value", "output", "inner", "gate", "outer")}
    apply_lora(model, LORA.model_copy(update=chosen))
    attention = 2 * (12 + 12) + 2 * (12 + 4)
    assert trainable_count(model) == 2 * 3 * (attention + 3 * (12 + 16))


def test_targets_are_the_matrices_of_every_attention_and_feed_forward():
    assert [*matrices(transformer(encoder_layers=1, decoder_layers=1), ("key", "outer"))] == [
        "encoder.0.attention.key",
        "encoder.0.feed_forward.output",
        "decoder.0.attention.key",
        "decoder.0.source_attention.key",
        "decoder.0.feed_forward.output",
    ]


@EVERY
def test_merged_gives_the_same_scores(build):
    model = build()
    apply_lora(model, LORA)
    base, plain = copies(model), scores(model)
    wanted = scores(learned(model))
    assert (wanted - plain).abs().max() > 1e-3
    merge(model)
    merge(model)  # nothing more
    torch.testing.assert_close(scores(model), wanted, atol=1e-5, rtol=1e-4)
    unmerge(model)
    assert torch.equal(scores(model), wanted)
    assert changed(base, model) == {f"{name}.up.weight" for name in lora_matrices(model)}


def test_merged_for_good_it_is_a_plain_network_again():
    model = transformer()
    names = set(copies(model))
    apply_lora(model, LORA)
    wanted = scores(learned(model))
    merge_for_good(model)
    assert set(copies(model)) == names
    assert not lora_matrices(model)
    torch.testing.assert_close(scores(model), wanted, atol=1e-5, rtol=1e-4)
    again = transformer()
    again.load_state_dict(model.state_dict())
    assert torch.equal(scores(again), scores(model))


@pytest.mark.parametrize("build", [transformer, decoder_only])
def test_step_by_step_equals_all_at_once(build):
    model = build()
    apply_lora(model, EVERYWHERE)
    learned(model)
    state, found = model.begin(read()), []
    for tokens in written().unbind(1):
        log_probabilities, state = model.step(tokens, state)
        found.append(log_probabilities)
    wanted = scores(model).log_softmax(-1)
    torch.testing.assert_close(torch.stack(found, 1), wanted, atol=1e-4, rtol=1e-4)


def test_recomputed_layers_give_the_same_gradients():
    model = transformer()
    apply_lora(model, LORA)
    learned(model).train()
    found = []
    for again in (False, True):
        model.checkpointing = again
        model.zero_grad()
        loss(model).backward()
        found.append({n: w.grad.clone() for n, w in trainable_parameters(model).items()})
    torch.testing.assert_close(found[0], found[1])


def test_a_part_that_is_new_or_named_is_trained_as_a_whole():
    model = encoder()
    apply_lora(model, LORA.model_copy(update={"trainable": ("pooler",)}), new=["classes_head"])
    before = copies(model)
    train(model)
    whole = {name for name in changed(before, model) if ".down." not in name and ".up." not in name}
    assert whole == {"pooler.weight", "pooler.bias", "classes_head.weight", "classes_head.bias"}


def test_a_and_b_decay_as_matrices_do():
    model = transformer()
    apply_lora(model, LORA)
    (group,) = build_optimizer(model, AdamW(weight_decay=0.3)).param_groups
    assert group["weight_decay"] == 0.3
    assert len(group["params"]) == len(trainable_parameters(model))


def test_a_copy_has_adapters_of_its_own():
    model = transformer()
    apply_lora(model, LORA)
    other = copy.deepcopy(model)
    wanted = scores(model)
    learned(other)
    assert torch.equal(scores(model), wanted)


def test_a_recurrent_network_is_refused():
    with pytest.raises(ConfigError) as error:
        apply_lora(recurrent(), LORA)
    assert str(error.value) == (
        "start.method = 'lora' is for the matrices of Transformer layers, and this network has "
        "none. "
        "Use 'full' or 'frozen'."
    )


def test_a_matrix_that_is_not_there_is_refused():
    with pytest.raises(ConfigError) as error:
        apply_lora(transformer(), LORA.model_copy(update={"target_modules": ("query", "gate")}))
    assert str(error.value) == (
        "start.target_modules: no layer of this network has a matrix 'gate'. "
        "There are: query, key, value, output, inner, outer."
    )


def test_a_network_is_not_adapted_twice():
    model = transformer()
    apply_lora(model, LORA)
    with pytest.raises(ConfigError, match="adapted so already"):
        apply_lora(model, LORA)
