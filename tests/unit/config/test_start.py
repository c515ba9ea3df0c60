from pathlib import Path

import pytest
from pydantic import TypeAdapter, ValidationError

from dragoman.config.start import FrozenStart, FullStart, LoraStart, PrefixStart, StartSettings

READ = TypeAdapter(StartSettings).validate_python


def test_the_run_is_called_from_in_a_recipe():
    assert READ({"from": "runs/base", "how": "full"}) == FullStart(run=Path("runs/base"))


@pytest.mark.parametrize(
    ("tree", "kind"),
    [
        ({"how": "full"}, FullStart),
        ({"how": "frozen", "trained": ["output"], "last_layers": 2}, FrozenStart),
        ({"how": "lora", "rank": 4, "targets": ["query", "outer"], "trained": ["x"]}, LoraStart),
        ({"how": "prefix", "length": 5, "through": 64}, PrefixStart),
    ],
)
def test_how_chooses_the_settings_and_they_come_back_the_same(tree, kind):
    settings = READ({"from": "base", **tree})
    assert type(settings) is kind
    assert READ(settings.model_dump(mode="json", by_alias=True)) == settings


@pytest.mark.parametrize(
    ("tree", "said"),
    [
        ({"how": "full"}, "from"),
        ({"from": "base", "how": "full", "rank": 4}, "rank"),
        ({"from": "base", "how": "lora", "rank": 0}, "greater than or equal to 1"),
        ({"from": "base", "how": "lora", "targets": []}, "at least 1 item"),
        ({"from": "base", "how": "lora", "targets": ["embeddings"]}, "targets"),
        ({"from": "base", "how": "lora", "dropout": 1.0}, "less than 1"),
        ({"from": "base", "how": "prefix", "length": 0}, "greater than or equal to 1"),
        ({"from": "base", "how": "magic"}, "'full', 'frozen', 'lora', 'prefix'"),
    ],
)
def test_mistakes_are_refused(tree, said):
    with pytest.raises(ValidationError, match=said):
        READ(tree)
