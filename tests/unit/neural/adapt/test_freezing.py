"""Training some parts of a network and leaving the others as they are."""

import pytest
import torch
from tests.adapted import (
    changed,
    copies,
    decoder_only,
    encoder,
    read,
    recurrent,
    scores,
    train,
    transformer,
    written,
)

from dragoman.config.start import FrozenStart, FullStart
from dragoman.core.errors import ConfigError
from dragoman.neural.adapt.adapting import adapt
from dragoman.neural.adapt.freezing import freeze
from dragoman.neural.adapt.parts import trainable_count, trainable_parameters


def frozen(*trained, **changes):
    return FrozenStart(run="base", trainable=trained, **changes)


def moved(model, settings, new=()):
    """Return the names of what a few steps change."""
    freeze(model, settings, new)
    before = copies(model)
    train(model)
    return changed(before, model)


def beginning(names, *begin):
    return {name for name in names if name.startswith(begin)}


def test_everything_but_the_named_parts_stays_to_the_last_bit():
    model = transformer(tied="none")
    assert moved(model, frozen("output", "decoder.1.feed_forward")) == {
        "output.weight",
        "decoder.1.feed_forward.inner.weight",
        "decoder.1.feed_forward.inner.bias",
        "decoder.1.feed_forward.output.weight",
        "decoder.1.feed_forward.output.bias",
    }


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        ("embeddings", {"embedding.table.weight", "embedding.positions.table.weight"}),
        ("norms", {"norm.weight", "norm.bias"}),
        ("biases", {"bias"}),
    ],
)
def test_a_word_means_something_of_every_part(word, wanted):
    model = decoder_only(tied=False, positions="learned")
    freeze(model, frozen(word))
    found = trainable_parameters(model)
    assert found
    assert {name for name in copies(model) if name.endswith(tuple(wanted))} == set(found)


def test_who_trains_the_output_trains_the_embeddings_that_it_shares():
    assert moved(decoder_only(), frozen("output")) == {"embedding.table.weight"}


def test_the_last_layers_of_each_stack_are_trained():
    model = transformer(encoder_layers=3)
    names = copies(model)
    freeze(model, frozen(last_layers=2))
    wanted = beginning(names, "encoder.1.", "encoder.2.", "decoder.")
    assert set(trainable_parameters(model)) == wanted - beginning(names, "decoder_norm")


def test_both_directions_of_a_recurrent_layer_are_one_layer():
    model = recurrent(encoder_layers=2)
    names = copies(model)
    freeze(model, frozen(last_layers=1))
    wanted = beginning(names, "encoder.cells.2.", "encoder.cells.3.", "decoder.layers.")
    assert set(trainable_parameters(model)) == wanted


def test_new_parts_are_always_trained():
    wanted = {"classes_head.weight", "classes_head.bias"}
    assert moved(encoder(), frozen(), new=["classes_head"]) == wanted


def test_a_frozen_body_keeps_nothing_for_the_way_back():
    model = encoder().train()
    freeze(model, frozen(), new=["classes_head"])
    assert not model.states(read()).requires_grad
    assert scores(model).requires_grad


DROPOUT = {"dropout": 0.5, "ffn_dropout": 0.5, "attention_dropout": 0.5, "word_dropout": 0.5}


def test_frozen_parts_are_not_dropped_from():
    model = encoder(**DROPOUT)
    calm = model.states(read())
    freeze(model, frozen(), new=["classes_head"])
    model.train()
    assert torch.equal(model.states(read()), calm)
    assert not torch.equal(scores(model), scores(model))  # before the head, which is trained


def test_a_layer_that_is_trained_is_dropped_from_and_the_ones_below_are_not():
    model = decoder_only(**DROPOUT)
    freeze(model, frozen(last_layers=1))
    model.train()
    below = []
    model.layers[0].register_forward_hook(lambda *told: below.append(told[2]))
    above = [model.read(written()) for _ in range(2)]
    assert torch.equal(*below)
    assert not torch.equal(*above)


def test_dropout_may_be_wanted_everywhere():
    model = encoder(**DROPOUT)
    freeze(model, frozen(dropout="everywhere"), new=["classes_head"])
    model.train()
    assert not torch.equal(model.states(read()), model.states(read()))


def test_in_full_every_weight_is_trained():
    model = recurrent()
    everything = set(copies(model))
    adapt(model, frozen("output"))
    adapt(model, FullStart(run="base"))
    assert set(trainable_parameters(model)) == everything
    assert trainable_count(model) == sum(weight.numel() for weight in copies(model).values())


def test_a_misspelt_part_is_refused_with_the_nearest():
    with pytest.raises(ConfigError) as error:
        freeze(transformer(), frozen("decoder.1.atention"))
    assert str(error.value) == (
        "start.trainable: this network has no part 'decoder.1.atention' that could be trained. "
        "Did you mean 'decoder.1.attention'?"
    )


def test_a_strange_part_is_refused_with_all_large_ones():
    with pytest.raises(ConfigError, match="Known: biases, decoder, decoder_norm, embeddings, enc"):
        freeze(transformer(), frozen("xyz"))


def test_nothing_to_train_is_refused():
    with pytest.raises(
        ConfigError, match=r"nothing would be trained. Name parts in start.trainable"
    ):
        freeze(transformer(), frozen())


def test_more_layers_than_there_are_is_refused():
    with pytest.raises(ConfigError) as error:
        freeze(transformer(), frozen(last_layers=3))
    assert str(error.value) == (
        "start.last_layers = 3: the network has 2 layers one above the other. Use at most 2."
    )
