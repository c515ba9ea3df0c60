from pathlib import Path

import pytest
from pydantic import TypeAdapter, ValidationError

from dragoman.config.reading import read_recipe
from dragoman.config.start import FrozenStart, FullStart, LoraStart, PrefixStart, StartSettings
from dragoman.core.errors import ConfigError

READ = TypeAdapter(StartSettings).validate_python


def test_the_run_is_called_from_in_a_recipe():
    assert READ({"from": "runs/base", "method": "full"}) == FullStart(run=Path("runs/base"))


@pytest.mark.parametrize(
    ("tree", "kind"),
    [
        ({"method": "full"}, FullStart),
        ({"method": "frozen", "trainable": ["output"], "last_layers": 2}, FrozenStart),
        (
            {"method": "lora", "rank": 4, "target_modules": ["query", "outer"], "trainable": ["x"]},
            LoraStart,
        ),
        ({"method": "prefix", "length": 5, "projection_width": 64}, PrefixStart),
    ],
)
def test_how_chooses_the_settings_and_they_come_back_the_same(tree, kind):
    settings = READ({"from": "base", **tree})
    assert type(settings) is kind
    assert READ(settings.model_dump(mode="json", by_alias=True)) == settings


@pytest.mark.parametrize(
    ("tree", "said"),
    [
        ({"method": "full"}, "from"),
        ({"from": "base", "method": "full", "rank": 4}, "rank"),
        ({"from": "base", "method": "lora", "rank": 0}, "greater than or equal to 1"),
        ({"from": "base", "method": "lora", "target_modules": []}, "at least 1 item"),
        ({"from": "base", "method": "lora", "target_modules": ["embeddings"]}, "target_modules"),
        ({"from": "base", "method": "lora", "dropout": 1.0}, "less than 1"),
        ({"from": "base", "method": "prefix", "length": 0}, "greater than or equal to 1"),
        ({"from": "base", "method": "magic"}, "'full', 'frozen', 'lora', 'prefix'"),
    ],
)
def test_mistakes_are_refused(tree, said):
    with pytest.raises(ValidationError, match=said):
        READ(tree)


def test_the_name_that_python_has_for_the_run_is_refused_in_a_recipe(recipe, tiny):
    with pytest.raises(ConfigError, match=r"tiny.toml: start.run: is called start.from in a rec"):
        read_recipe(recipe, [f"start.run={tiny.run}"])
    begun = read_recipe(recipe, [f"start.from={tiny.run}"])
    assert begun.start == FullStart(run=tiny.run)


def test_a_recipe_that_starts_from_a_run_takes_over_its_network(tiny, tmp_path):
    head = (
        f'name = "more"\n[corpus]\ntrain = "{tiny.recipe.parent / "corpus.tsv"}"\n'
        f'[start]\n{{}} = "{tiny.run}"\n'
    )
    (tmp_path / "from.toml").write_text(head.format("from"))
    assert read_recipe(tmp_path / "from.toml").model == read_recipe(tiny.recipe).model
    (tmp_path / "run.toml").write_text(head.format("run"))
    with pytest.raises(ConfigError, match=r"start.run: is called start.from in a recipe\.$"):
        read_recipe(tmp_path / "run.toml")
    (tmp_path / "other.toml").write_text(head.format("bass"))
    with pytest.raises(ConfigError, match=r"start.bass: unknown key. Known: from, method, new_tok"):
        read_recipe(tmp_path / "other.toml")
