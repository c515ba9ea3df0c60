"""Networks that CTranslate2 supports; any other is refused by the name of the setting.

What is listed here was tried with version 4.8.4: a setting that it takes but computes otherwise is
refused like one that it does not know.
"""

from collections.abc import Iterator
from pathlib import Path

from dragoman.config.model import AnyModel
from dragoman.config.recipe import Recipe
from dragoman.config.start import PrefixStart
from dragoman.config.transformer import TransformerSettings
from dragoman.core.errors import ConfigError
from dragoman.data.tokenizer.imported import ImportedTokenizer
from dragoman.data.tokenizer.pair import TokenizerPair

ADVICE = "Train with a recipe of `dragoman new --exportable`"


def holdable(recipe: Recipe, tokenizer: TokenizerPair, where: Path) -> TransformerSettings:
    """Return the settings of a network that CTranslate2 can hold, or say why it cannot."""
    if recipe.task.kind != "translation":
        raise ConfigError(
            f"{where}: CTranslate2 translates, and this run has task.kind = {recipe.task.kind!r}."
        )
    settings: AnyModel = recipe.model
    if not isinstance(settings, TransformerSettings):
        raise ConfigError(
            f"{where}: CTranslate2 has no translator of model.kind = {settings.kind!r}. Train one "
            "of model.kind = 'transformer'."
        )
    if problems := list(_problems(settings)):
        raise ConfigError(f"{where}: CTranslate2 cannot hold {'; '.join(problems)}. {ADVICE}.")
    if isinstance(recipe.start, PrefixStart):
        raise ConfigError(
            f"{where}: CTranslate2 cannot hold the virtual positions of start.method = 'prefix'. "
            "Adapt with 'lora' or in full."
        )
    if isinstance(tokenizer.source, ImportedTokenizer):
        raise ConfigError(f"{where}: an imported vocabulary cannot be exported to CTranslate2.")
    return settings


def _problems(settings: TransformerSettings) -> Iterator[str]:
    """Say what has no place in CTranslate2, and what has."""
    if settings.positions == "relative":
        yield (
            "model.positions = 'relative', whose offsets also count between target and source "
            "(all other kinds fit)"
        )
    if settings.norm == "none":
        yield "model.norm = 'none' (use 'before' or 'after')"
    if settings.activation == "single":
        yield "model.activation = 'single' (all other kinds fit)"
    for key in ("key_width", "value_width"):
        if getattr(settings, key) is not None:
            yield f"model.{key} (leave it out)"
    if not settings.output_projection:
        yield "model.output_projection = false (leave it out)"
