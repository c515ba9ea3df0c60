"""The recipes of a comparison: read, named, and checked to share corpus and metric."""

from collections.abc import Mapping, Sequence
from typing import Any

from dragoman.config.reading import differences, find_recipe, read_recipe
from dragoman.config.recipe import Recipe
from dragoman.config.task import TranslationTaskSettings
from dragoman.core.errors import ConfigError

SAME = ("training.validation_sentences", "training.best_metric")
"""Keys besides the corpus that must be equal, or the validation scores are of different things."""


def read_entrants(names: Sequence[str], changes: Sequence[str]) -> dict[str, Recipe]:
    """Read the recipes, by path or shipped name, with the same changes to all of them."""
    if not names:
        raise ConfigError("there is no recipe to compare. Name some, by path or shipped name.")
    found: dict[str, Recipe] = {}
    for name in names:
        recipe = read_recipe(find_recipe(name), changes).model_copy(update={"made_with": None})
        if recipe.name in found:
            raise ConfigError(
                f"{name}: another of the recipes is called {recipe.name!r} too. "
                "Give each a name of its own."
            )
        found[recipe.name] = recipe
    return found


def on_one_corpus(
    entrants: Mapping[str, Recipe], before: Mapping[str, Recipe] | None = None
) -> dict[str, Recipe]:
    """Give all recipes one corpus seed, so that all hold out the same pairs; refuse other text.

    Those of `before` are in the comparison already.
    """
    others = [(name, one) for name, one in (before or {}).items() if name not in entrants]
    (first, one), *rest = [*others, *entrants.items()]
    for name, other in rest:
        found = differences(one, other)
        for key in sorted(found, key=lambda key: (key != "corpus.kind", key)):
            if (key.startswith("corpus.") and key != "corpus.seed") or key in SAME:
                mine, theirs = found[key]
                raise _different(key, [(first, mine), (name, theirs)])
    everyone = [*(before or {}).items(), *entrants.items()]
    held_out = [(name, each.corpus_for(TranslationTaskSettings).seed) for name, each in everyone]
    seeds = [(name, seed) for name, seed in held_out if seed is not None]
    if len({seed for _, seed in seeds}) > 1:
        raise _different("corpus.seed", seeds)
    seed = seeds[0][1] if seeds else one.seed
    return {
        name: recipe.model_copy(update={"corpus": recipe.corpus.model_copy(update={"seed": seed})})
        for name, recipe in entrants.items()
    }


def _different(key: str, values: Sequence[tuple[str, Any]]) -> ConfigError:
    details = ", ".join(f"{value!r} in {name}" for name, value in values)
    return ConfigError(
        f"{key} is not the same in all recipes ({details}), so their scores would say nothing "
        f"about each other. Give one for all: {key}=VALUE"
    )
