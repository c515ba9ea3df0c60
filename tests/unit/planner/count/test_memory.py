"""Memory of training and decoding: activations as autograd keeps them, optimizers, KV caches."""

from dataclasses import replace

import pytest
import torch
from tests.unit.planner.count.networks import build, kept_bytes
from tests.unit.planner.count.test_families import FAMILIES

from dragoman.config.optimizer import (
    AdaGrad,
    Adam,
    AdamW,
    Momentum,
    Nesterov,
    RmsProp,
    Sgd,
)
from dragoman.config.recipe import Recipe
from dragoman.config.training import TrainingSettings
from dragoman.neural.optim.average import WeightAverage
from dragoman.neural.optim.optimizer import build_optimizer
from dragoman.planner.count.count import count_model, count_subject
from dragoman.planner.count.families import count_network
from dragoman.planner.count.memory import FRAGMENTATION, cache_memory, training_memory
from dragoman.planner.count.subject import BatchShape, CountSubject, find_subject

WITH_OUTPUT = ("transformer", "decoder-only", "encoder", "recurrent")
KEPT = (
    "transformer sinusoidal",
    "transformer relative",
    "transformer swiglu",
    "decoder-only rotary",
    "decoder-only learned",
    "recurrent additive, gru",
    "recurrent first, gru before",
    "encoder bare",
    "text-cnn",
    "cnn",
    "cnn strided",
    "vgg 16 normed",
    "googlenet normed",
    "resnet 20",
    "resnet projected",
    "vit",
    "clip patches",
)


@pytest.mark.parametrize("name", KEPT)
def test_activations_are_what_autograd_keeps(name):
    settings, sizes = FAMILIES[name]
    sizes = replace(sizes, batch=16)
    if name.startswith(WITH_OUTPUT):
        sizes = replace(sizes, source_length=8, target_length=8)
        if "max_positions" in type(settings).model_fields:
            settings = settings.model_copy(update={"max_positions": 16})
    model, network = build(settings, sizes, device="cpu"), count_network(settings, sizes)
    counted = network.total.activations  # with the gradient of the output, which the loss keeps
    if "output" in {part.name for part in network.parts} and name.startswith(WITH_OUTPUT):
        counted -= 4 * sizes.target_vocab * getattr(settings, "output_width", settings.width)
    assert counted == pytest.approx(kept_bytes(model, sizes), rel=0.15)


def subject(optimizer, training=TrainingSettings()):  # noqa: B008
    settings, sizes = FAMILIES["encoder bare"]
    return CountSubject(
        "toy", "masked-lm", settings, sizes, (), False, None, (), optimizer, training
    )


OPTIMIZERS = (AdamW(), Adam(), RmsProp(), AdaGrad(), Nesterov(), Momentum(), Sgd())


@pytest.mark.parametrize("settings", OPTIMIZERS, ids=lambda one: one.kind)
def test_an_optimizer_remembers_as_much_as_is_counted(settings):
    chosen = subject(settings)
    model = build(chosen.model, chosen.sizes, device="cpu")
    optimizer = build_optimizer(model, settings)
    for weight in model.parameters():
        weight.grad = torch.zeros_like(weight)
    optimizer.step()
    found = sum(
        4 * value.numel()
        for state in optimizer.state.values()
        for value in state.values()
        if isinstance(value, torch.Tensor) and value.dim()
    )
    counted = count_subject(chosen).memory
    assert counted.optimizer == found
    assert counted.gradients == counted.parameters == 4 * count_subject(chosen).total.parameters


def test_a_moving_average_is_as_large_as_the_weights():
    chosen = subject(AdamW(), TrainingSettings(ema_decay=0.9))
    average = WeightAverage(build(chosen.model, chosen.sizes, device="cpu"), 0.9)
    found = sum(4 * weight.numel() for weight in average.weights.values())
    memory = count_subject(chosen).memory
    assert memory.average == found
    assert memory.peak - count_subject(subject(AdamW())).memory.peak == found


def test_the_peak_holds_weights_state_and_activations_and_grows_with_the_batch():
    small, large = (count_model("english-hindi", (), BatchShape(rows, 32)) for rows in (4, 64))
    for one in (small, large):
        memory = one.memory
        held = memory.parameters + memory.optimizer + memory.activations
        assert memory.peak > held
        assert memory.peak >= memory.parameters + memory.optimizer + memory.gradients
    assert large.memory.activations > 8 * small.memory.activations
    assert large.memory.optimizer == small.memory.optimizer


def test_gradients_that_are_added_up_stay_while_the_next_batch_is_read():
    plain = find_subject("english-hindi")
    added = replace(plain, training=plain.training.model_copy(update={"accumulate": 2}))
    first, second = count_subject(plain), count_subject(added)
    more = training_memory(added, second.network).peak - first.memory.peak
    assert more == pytest.approx((1 + FRAGMENTATION) * first.memory.gradients, abs=1)


@pytest.mark.parametrize("name", ["decoder-only rotary", "decoder-only grouped"])
def test_the_kv_cache_of_a_language_model_is_what_its_layers_hold(name):
    settings, sizes = FAMILIES[name]
    model = build(settings, sizes, device="cpu").eval()
    state = model.go_on_from(torch.ones(1, 8, dtype=torch.long), torch.tensor([8]))
    held = sum(one.numel() * 4 for cache in state.cache for one in cache.keys_values)
    cache = cache_memory(
        CountSubject("toy", "language-model", settings, replace(sizes, source_length=0), ())
    )
    assert cache.per_token * 7 == held


def test_the_source_is_held_once_for_a_whole_beam_but_not_in_one_stack():
    """In a decoder-only network each hypothesis has the source in its own cache."""
    two, one = count_model("english-hindi").cache, count_model("decoder-only").cache
    assert two.beam == one.beam == 5
    written = 5 * two.longest * two.per_token
    assert two.at_longest == written + two.source_length * two.per_source_token
    assert one.at_longest == 5 * (one.longest + one.source_length) * one.per_token


def test_a_recurrent_decoder_holds_a_state_that_does_not_grow():
    cache = count_model("deep-lstm").cache
    assert (cache.per_token, cache.per_source_token) == (0, 0)
    assert cache.fixed == 4 * 2 * 2 * 176
    assert count_model("luong").cache.per_source_token == 4 * (240 + 240)
    assert count_model("cifar-10").cache is None


def test_a_recipe_without_memory_settings_has_adamw():
    assert find_subject("gpt2").optimizer == Recipe.model_fields["optimizer"].default
