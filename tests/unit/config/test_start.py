from pathlib import Path

import pytest
from pydantic import TypeAdapter, ValidationError

from dragoman.config.start import FrozenStart, FullStart, LoraStart, PrefixStart, StartSettings

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
