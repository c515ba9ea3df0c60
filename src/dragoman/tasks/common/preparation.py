"""Preparing the data of a run once: a resume finds them in its folder."""

import json
from collections.abc import Callable
from pathlib import Path

from dragoman.config.reading import stored_recipe
from dragoman.config.recipe import Recipe
from dragoman.core.errors import ConfigError
from dragoman.core.files import write_atomic
from dragoman.engine.checkpoint.folder import RunFolder

MARK = "prepared.json"
PREPARED = ("task", "corpus", "tokenizer", "seed", "start")
"""The parts of a recipe that decide what the data look like."""


def prepare_once(folder: RunFolder, recipe: Recipe, prepare_it: Callable[[], None]) -> None:
    """Prepare a recipe's data, unless the folder holds it already."""
    mark = folder.data / MARK
    if not _is_prepared(mark, recipe):
        folder.data.mkdir(parents=True, exist_ok=True)
        prepare_it()
        wanted = recipe.model_dump(mode="json", include=set(PREPARED))
        write_atomic(mark, json.dumps(wanted))


def _is_prepared(mark: Path, recipe: Recipe) -> bool:
    """Say whether the folder holds this recipe's data; keys that came later have their default."""
    try:
        stored = json.loads(mark.read_bytes())
        tree = {"name": recipe.name, "model": recipe.model.model_dump(mode="json"), **stored}
        before = stored_recipe(tree, mark.name)
    except (OSError, ValueError, TypeError, ConfigError):
        return False
    return all(getattr(before, part) == getattr(recipe, part) for part in PREPARED)
