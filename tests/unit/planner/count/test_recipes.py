"""Recipes, runs and published networks as subjects of a count."""

import subprocess
import sys
from math import prod
from pathlib import Path

import pytest
from safetensors import safe_open
from tests.unit.planner.count.networks import build, weights

from dragoman.config.named import NAMED
from dragoman.config.reading import find_recipe, read_recipe, shipped_recipes
from dragoman.core.errors import ConfigError
from dragoman.planner.count.count import count_model, count_subject
from dragoman.planner.count.subject import BatchShape, find_subject, recipe_subject

RUNS = Path(__file__).parents[3] / "golden" / "run-v2"
MERGED = ("language-lora", "translation-prefix")
"""Runs whose stored weights are not those that were trained."""


@pytest.mark.parametrize("name", shipped_recipes())
def test_a_shipped_recipe_has_the_parameters_of_its_network(name):
    subject = find_subject(name)
    model = build(subject.model, subject.sizes, tags=subject.tags)
    counted = count_subject(subject)
    assert counted.total.parameters == weights(model)
    assert counted.total.forward > 0 < counted.memory.peak


@pytest.mark.parametrize(
    "name", [one.name for one in sorted(RUNS.iterdir()) if one.name not in MERGED]
)
def test_a_run_has_the_parameters_that_it_stored(name):
    counted = count_model(str(RUNS / name))
    with safe_open(RUNS / name / "model.safetensors", "np") as stored:
        found = sum(
            prod(stored.get_slice(key).get_shape())
            for key in stored.keys()  # noqa: SIM118 - no mapping
            if "running_" not in key and "num_batches" not in key
        )
    assert counted.total.parameters == found
    assert counted.subject.name == name


@pytest.mark.parametrize("name", MERGED)
def test_an_adapted_run_is_counted_as_it_was_trained(name):
    counted = count_model(str(RUNS / name))
    base = count_subject(recipe_subject(read_recipe(RUNS / name / "recipe.toml", ())))
    assert 0 < counted.total.trained < counted.total.parameters
    assert counted.subject.start.method == base.subject.start.method


def test_where_a_vocabulary_comes_from_is_told():
    recipe, run = count_model("english-hindi"), count_model(str(RUNS / "translation"))
    assert any("tokenizer.vocab_size" in one for one in recipe.subject.assumptions)
    assert any("tokenizer.json" in one for one in run.subject.assumptions)
    assert recipe.subject.sizes.source_vocab == 6000
    assert run.subject.sizes.source_vocab == 330


def test_what_is_asked_for_goes_before_what_is_assumed():
    plain = count_model("arithmetic-encoder", (), BatchShape(7, 9, 5)).subject
    assert (plain.sizes.batch, plain.sizes.source_length, plain.sizes.classes) == (7, 9, 5)
    assert not any("assumed" in one for one in plain.assumptions)
    assumed = count_model("arithmetic-encoder").subject
    assert any("assumed" in one for one in assumed.assumptions)
    assert assumed.sizes.classes == 3


def test_rows_of_a_language_model_are_filled_and_a_share_of_words_is_masked():
    sizes = count_model("grammar-bert").subject.sizes
    assert (sizes.batch, sizes.source_length) == (16, 64)
    assert sizes.loss_tokens == round(0.15 * 16 * 64)
    sizes = count_model("grammar-gpt").subject.sizes
    assert (sizes.batch, sizes.source_length, sizes.target_length) == (32, 0, 64)


def test_changes_count_for_recipes_only():
    wide = count_model("english-hindi", ["model.width=256"]).total.parameters
    assert wide > count_model("english-hindi").total.parameters
    with pytest.raises(ConfigError, match="gpt2: is known by its name and has no keys to change"):
        count_model("gpt2", ["model.width=256"])
    with pytest.raises(ConfigError, match="there is no recipe of this name"):
        count_model("nothing")


def test_a_batch_of_pictures_has_the_size_of_the_corpus():
    sizes = count_model("mnist").subject.sizes
    assert (sizes.batch, sizes.channels, sizes.image_size, sizes.classes) == (128, 1, 28, 10)
    shapes = count_model("mnist", ["corpus={kind = 'shapes', size = 24}"]).subject.sizes
    assert (shapes.channels, shapes.image_size) == (3, 24)
    assert shapes.classes > 2


def test_folders_of_pictures_are_counted_where_they_are(tmp_path):
    recipe = find_recipe("mnist")
    for name in ("cats", "dogs", "owls"):
        (tmp_path / "here" / name).mkdir(parents=True)
    for folder, classes in (("here", 3), ("elsewhere", 2)):
        change = f"corpus={{kind = 'images', train = '{tmp_path / folder}', size = 28}}"
        assert count_model(str(recipe), [change]).subject.sizes.classes == classes


@pytest.mark.parametrize("name", ["bert-base", "gpt", "t5-small"])
def test_a_published_network_is_counted_by_its_name(name):
    counted = count_model(name)
    settings = NAMED[name].settings
    assert counted.subject.model == settings
    assert counted.total.parameters == weights(build(settings, counted.subject.sizes))


def test_counting_needs_no_torch():
    code = (
        "import sys; from dragoman.planner.count.count import count_model\n"
        "print(count_model('gpt3').total.parameters, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["174604259328", "False"]
