"""Sizes of a sweep: one recipe with other widths, or with other settings altogether."""

from collections.abc import Sequence
from pathlib import Path

from dragoman.config.reading import read_recipe
from dragoman.config.recipe import Recipe
from dragoman.core.errors import ConfigError
from dragoman.planner.sizes import width_share, with_width

SHARES = (0.25, 0.375, 0.5, 0.75, 1.0, 1.5)
"""Widths of a sweep by default, as shares of the recipe's: 36 times as many weights in all."""


def with_corpus_seed(recipe: Recipe) -> Recipe:
    """Return a recipe that holds out the same text whatever its seed, so that losses compare."""
    if getattr(recipe.corpus, "seed", recipe.seed) is not None:  # set, or there is none to set
        return recipe
    corpus = recipe.corpus.model_copy(update={"seed": recipe.seed})
    return recipe.model_copy(update={"corpus": corpus})


def default_widths(recipe: Recipe) -> list[int]:
    """Return widths around the recipe's own that its heads divide."""
    return sorted({width_share(recipe, share) for share in SHARES})


def sized_recipes(
    path: Path, changes: Sequence[str], widths: Sequence[int], sizes: Sequence[str]
) -> list[Recipe]:
    """Return the recipe of each size: of each width, and of each list of `section.key=value`."""
    recipe = read_recipe(path, changes)
    others = [read_recipe(path, [*changes, *size.split()]) for size in sizes]
    if not widths and not sizes:
        widths = default_widths(recipe)
    found = [*(with_width(recipe, width) for width in widths), *others]
    models = [one.model for one in found]
    for place, model in enumerate(models):
        if model in models[:place]:
            raise ConfigError(f"{recipe.name}: two sizes are the same model. Leave one out.")
    return found
