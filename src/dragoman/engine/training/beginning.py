"""The network as training begins with it."""

import torch

from dragoman.config.recipe import Recipe
from dragoman.core.console import say
from dragoman.data.batching.lexicon import lexical_vectors
from dragoman.engine.build import TranslationModel, build_model
from dragoman.engine.training.preparation import Prepared


def begin_model(recipe: Recipe, prepared: Prepared) -> TranslationModel:
    """Build a recipe's network with its first weights: drawn, or with a dictionary in them."""
    tokenizer = prepared.tokenizer
    model = build_model(recipe.model, tokenizer, recipe.seed)
    if recipe.model.initialisation == "dictionary":
        say("counting out a first dictionary …")
        sizes = (tokenizer.source.size, tokenizer.target.size)
        source, target = lexical_vectors(prepared.store, sizes, recipe.model.width)
        model.begin_with_dictionary(torch.from_numpy(source), torch.from_numpy(target))
    return model
