"""Runs and recipes that were written before keys were renamed open as they always did."""

import json
import tomllib
from pathlib import Path

import pytest

from dragoman.config.former_keys import with_new_keys
from dragoman.config.reading import read_recipe, stored_recipe
from dragoman.config.recipe import Recipe
from dragoman.config.sections import members_of, section_models
from dragoman.config.serving import ServingSettings
from dragoman.config.synonyms import FORMER_SECTIONS, SYNONYMS, new_names
from dragoman.config.writing import recipe_to_toml
from dragoman.core.errors import ConfigError

GOLDEN = Path(__file__).parents[2] / "golden"
STORED = sorted(GOLDEN.rglob("recipe.toml"))
OLD = """
name = "old"
[corpus]
kind = "grammar"
[tokenizer]
vocabulary = 500
[model]
inner_width = 32
norm = "after"
[optimiser]
rate = 0.5
[decoding]
longest_extra = 7
sampling = {longest = 9}
"""


def keys() -> dict[str, list[set[str]]]:
    """The keys of each section: of each settings class that it, or a table inside it, may be."""
    found = {name: list(models) for name, models in section_models().items()}
    found["serving"] = [ServingSettings]
    for models in found.values():
        for model in models:
            inner = [one for field in model.model_fields.values() for one in members_of(field)]
            models += [one for one in inner if one not in models]
    return {name: [set(model.model_fields) for model in models] for name, models in found.items()}


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "old.toml"
    path.write_text(OLD)
    return path


def test_every_new_name_is_a_key_and_no_class_has_both():
    for key, names in SYNONYMS.items():
        if names.former:
            section, name = key.split(".")[0], key.split(".")[-1]
            having = [fields for fields in keys()[section] if name in fields]
            assert having, key
            assert not any(names.former in fields for fields in having), key


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.parent.name)
def test_a_stored_run_opens_silently_and_says_the_same_under_new_names(path, capsys, tmp_path):
    recipe = read_recipe(path)
    assert capsys.readouterr().err == ""
    (tmp_path / "recipe.toml").write_text(recipe_to_toml(recipe))
    again = read_recipe(tmp_path / "recipe.toml")
    assert again.model_dump(exclude={"corpus"}) == recipe.model_dump(exclude={"corpus"})


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.parent.name)
def test_renaming_keeps_every_value_and_is_done_once(path):
    tree = tomllib.loads(path.read_text())
    new, renamed = with_new_keys(tree)
    assert renamed
    assert with_new_keys(new) == (new, {})
    assert len(new) == len(tree)
    for section, values in tree.items():
        if isinstance(values, dict):
            mine = new[FORMER_SECTIONS.get(section, section)]
            assert len(mine) == len(values)


def test_a_recipe_of_former_keys_only_opens_and_hears_the_new_names(old, capsys):
    recipe = read_recipe(old)
    assert recipe.tokenizer.vocab_size == 500
    assert (recipe.model.ffn_width, recipe.model.norm) == (32, "post")
    assert recipe.optimizer.learning_rate == 0.5
    assert (recipe.decoding.max_length_extra, recipe.decoding.sampling.max_tokens) == (7, 9)
    told = capsys.readouterr().err
    assert "optimiser.rate → optimizer.learning_rate" in " ".join(told.split())


def test_a_former_key_among_new_ones_is_refused_with_its_new_name(old):
    old.write_text(OLD.replace("vocabulary", "vocab_size"))
    with pytest.raises(ConfigError, match="old.toml: model.inner_width: is called model.ffn_width"):
        read_recipe(old)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("optimiser.rate=1", "optimiser.rate: is called optimizer.learning_rate now."),
        ("optimizer.rate=1", "optimizer.rate: is called optimizer.learning_rate now."),
        ("optimiser.kind=sgd", "optimiser.kind: is called optimizer.kind now."),
        ("batches.longest=9", "batches.longest: is called batches.max_length now."),
        ("model.norm=before", "model.norm: 'before' is called 'pre' now."),
        ("task.kind=masked", "task.kind: 'masked' is called 'masked-lm' now."),
        (
            "decoding.sampling.longest=9",
            "decoding.sampling.longest: is called decoding.sampling.max_tokens now.",
        ),
    ],
)
def test_a_former_key_in_a_change_is_answered_with_its_new_name(tmp_path, change, told):
    (tmp_path / "new.toml").write_text('name = "new"\n[corpus]\nkind = "grammar"\n')
    with pytest.raises(ConfigError) as refused:
        read_recipe(tmp_path / "new.toml", [change])
    assert told in str(refused.value)


def test_one_former_name_of_several_keys_becomes_the_one_that_the_kind_has():
    kinds = {"masked": ("masked-lm", "mlm_probability")}
    kinds["spans"] = ("span-corruption", "noise_density")
    for former, (kind, key) in kinds.items():
        tree, _ = with_new_keys({"task": {"kind": former, "share": 0.3}})
        assert tree["task"] == {"kind": kind, key: 0.3}
    assert sorted(new_names("task.share")) == ["task.mlm_probability", "task.noise_density"]


def test_marks_beside_the_data_are_read_as_they_were_written():
    for mark in GOLDEN.rglob("prepared.json"):
        stored = json.loads(mark.read_text())
        model = read_recipe(mark.parents[1] / "recipe.toml").model.model_dump(mode="json")
        assert isinstance(stored_recipe({"name": "x", "model": model, **stored}, "x"), Recipe)
