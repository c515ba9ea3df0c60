"""Sizes of a model: a recipe with another width, and all else of it in proportion."""

from dragoman.config.reading import changed_settings
from dragoman.config.recipe import Recipe
from dragoman.core.errors import ConfigError

SCALED = (
    "ffn_width", "decoder_ffn_width", "embedding_width", "attention_width", "readout_width",
    "key_width", "value_width", "first_width",
)  # fmt: skip
"""Other widths, which keep their ratio to `model.width`; heads stay as many as they are."""


def with_width(recipe: Recipe, width: int, *changes: str) -> Recipe:
    """Return a recipe whose model has another width, with further changes of the model."""
    own = getattr(recipe.model, "width", None)
    if not own:
        raise ConfigError(
            f"{recipe.name}: a model of kind {recipe.model.kind!r} has no width to change. "
            "Give each size with --size, as in --size 'model.layers=2'."
        )
    scaled = [
        f"{key}={max(1, round(value * width / own))}"
        for key in SCALED
        if (value := getattr(recipe.model, key, None))
    ]
    model = changed_settings("model", recipe.model, [f"width={width}", *scaled, *changes])
    return recipe.model_copy(update={"model": model})


def width_share(recipe: Recipe, share: float) -> int:
    """Return the width nearest to a share of the recipe's own that its heads divide."""
    own = int(getattr(recipe.model, "width", 0))
    multiple = 2 * int(getattr(recipe.model, "heads", 1))
    return own if share == 1.0 else max(1, round(own * share / multiple)) * multiple
