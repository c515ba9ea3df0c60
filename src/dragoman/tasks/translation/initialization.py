"""The network as training begins with it."""

import torch

from dragoman.config.model import ModelSettings
from dragoman.config.recipe import Recipe
from dragoman.config.task import TranslationTaskSettings
from dragoman.core.console import say
from dragoman.core.errors import ConfigError
from dragoman.data.batching.lexicon import lexical_vectors
from dragoman.engine.build import TranslationModel, build_model
from dragoman.neural.models.transformer import Transformer
from dragoman.tasks.translation.prepare import PreparedPairs


def begin_model(recipe: Recipe, prepared: PreparedPairs) -> TranslationModel:
    """Build a recipe's network with its first weights: drawn, or with a dictionary in them."""
    settings, tokenizer = recipe.model_for(TranslationTaskSettings), prepared.tokenizer
    if not tokenizer.numbered_alike:
        _check_two_vocabularies(settings)
    model = build_model(settings, tokenizer, recipe.seed)
    if isinstance(model, Transformer) and model.settings.initialization == "dictionary":
        say("counting out a first dictionary …")
        sizes = (tokenizer.source.size, tokenizer.target.size)
        source, target = lexical_vectors(prepared.store, sizes, model.settings.width)
        model.begin_with_dictionary(torch.from_numpy(source), torch.from_numpy(target))
    return model


def _check_two_vocabularies(settings: ModelSettings) -> None:
    """Refuse one matrix for two vocabularies, even of one size: its rows would mean two words."""
    if settings.kind == "decoder-only":
        what, other = "model.kind = 'decoder-only'", ""
    elif settings.tied == "all":
        what, other = "model.tied = 'all'", " or model.tied = 'target'"
    else:
        return
    raise ConfigError(
        f"{what} needs one shared vocabulary, and here each side has its own. "
        f"Set tokenizer.shared = true{other}."
    )
