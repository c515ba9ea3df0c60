"""Sizes of a sweep: one recipe with other widths, or with other settings altogether."""

from collections.abc import Sequence
from pathlib import Path

from dragoman.config.reading import changed_settings, read_recipe
from dragoman.config.recipe import Recipe
from dragoman.core.errors import ConfigError

SHARES = (0.25, 0.375, 0.5, 0.75, 1.0, 1.5)
"""Widths of a sweep by default, as shares of the recipe's: 36 times as many weights in all."""

SCALED = (
    "ffn_width", "decoder_ffn_width", "embedding_width", "attention_width", "readout_width",
)  # fmt: skip
"""Other widths, which keep their ratio to `model.width`; heads stay as many as they are."""


def with_width(recipe: Recipe, width: int) -> Recipe:
    """Return a recipe whose model has another width, and all else of it in proportion."""
    own = getattr(recipe.model, "width", None)
    if not own:
        raise ConfigError(
            f"{recipe.name}: a model of kind {recipe.model.kind!r} has no width to change. "
            "Give each size with --size, as in --size 'model.layers=2'."
        )
    changes = [f"width={width}"]
    for key in SCALED:
        value = getattr(recipe.model, key, None)
        if value:
            changes.append(f"{key}={max(1, round(value * width / own))}")
    model = changed_settings("model", recipe.model, changes)
    return recipe.model_copy(update={"model": model})


def with_corpus_seed(recipe: Recipe) -> Recipe:
    """Return a recipe that holds out the same text whatever its seed, so that losses compare."""
    if getattr(recipe.corpus, "seed", recipe.seed) is not None:  # set, or there is none to set
        return recipe
    corpus = recipe.corpus.model_copy(update={"seed": recipe.seed})
    return recipe.model_copy(update={"corpus": corpus})


def default_widths(recipe: Recipe) -> list[int]:
    """Return widths around the recipe's own that its heads divide."""
    own = getattr(recipe.model, "width", None) or 0
    multiple = 2 * int(getattr(recipe.model, "heads", 1))
    rounded = [max(1, round(own * share / multiple)) * multiple for share in SHARES]
    return sorted({*rounded}) if own else [0]


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
