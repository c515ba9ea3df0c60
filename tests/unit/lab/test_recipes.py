"""The shipped recipes that are meant to be compared."""

from types import SimpleNamespace

import pytest
import torch

from dragoman.config.reading import read_recipe, shipped_recipes
from dragoman.engine.build import build_model
from dragoman.lab.entrants import on_one_corpus

POSITIONS = ("none", "sinusoidal", "learned", "rotary", "alibi", "relative", "t5", "shaw")
NAMES = [
    "vanilla-rnn", "deep-lstm", "reversed-lstm", "bahdanau", "luong",
    *(f"transformer-{kind}" for kind in POSITIONS), "decoder-only",
]  # fmt: skip
FIRST = "transformer-sinusoidal"  # the Transformer as it was published
PARAMETERS, BAND = 1_438_208, 0.15  # its own


def parameters_of(recipe):
    entries = SimpleNamespace(size=recipe.tokenizer.vocab_size)
    with torch.device("meta"):
        model = build_model(recipe.model, SimpleNamespace(source=entries, target=entries), 1)
    return sum(weight.numel() for weight in model.parameters())


def test_the_band_is_around_the_first_transformer():
    assert parameters_of(read_recipe(shipped_recipes()[FIRST])) == PARAMETERS


@pytest.mark.parametrize("name", NAMES)
def test_they_have_about_as_many_parameters(name):
    count = parameters_of(read_recipe(shipped_recipes()[name]))
    assert abs(count / PARAMETERS - 1) <= BAND


def test_they_differ_only_in_the_network_and_its_rate():
    recipes = {name: read_recipe(shipped_recipes()[name]) for name in NAMES}
    first = recipes[FIRST]
    for recipe in recipes.values():
        assert recipe.model.dropout == 0.0
        for section in ("seed", "corpus", "tokenizer", "batches", "objective", "schedule"):
            assert getattr(recipe, section) == getattr(first, section)
        assert recipe.training == first.training
        assert recipe.decoding == first.decoding
    assert len(on_one_corpus(recipes)) == len(NAMES)


def test_the_transformers_differ_only_in_their_positions():
    keys = {"positions", "max_positions", "max_relative_position", "buckets", "max_bucket_distance"}
    dumps = [
        read_recipe(shipped_recipes()[f"transformer-{kind}"]).model.model_dump(exclude=keys)
        for kind in POSITIONS
    ]
    assert all(dump == dumps[0] for dump in dumps)
    for kind in POSITIONS:
        assert read_recipe(shipped_recipes()[f"transformer-{kind}"]).model.positions == kind


def test_the_reversed_lstm_differs_from_the_deep_one_in_nothing_else():
    one, other = (
        read_recipe(shipped_recipes()[name]).model.model_dump()
        for name in ("deep-lstm", "reversed-lstm")
    )
    assert {key for key in one if one[key] != other[key]} == {"reverse_source"}
