"""The network of a translation run, with all that is needed to use it."""

from dataclasses import dataclass

import torch

from dragoman.config.recipe import Recipe
from dragoman.config.task import TranslationTaskSettings
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.engine.build import TranslationModel, build_model
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.load import LoadedRun


@dataclass(frozen=True)
class LoadedNetwork:
    """A network whose training is over, and what it was trained with."""

    recipe: Recipe
    tokenizer: TokenizerPair
    model: TranslationModel
    longest_source: int
    """Tokens of the longest source that it was trained on, END included."""
    averaged: str | None
    """Of which weights it is the mean, where it is one."""


def load_translation(run: RunFolder, *, average: bool = False) -> LoadedNetwork:
    """Load the network of a run, or the mean of its best weights."""
    loaded = LoadedRun(run, torch.device("cpu"), average=average)
    recipe, tokenizer = loaded.recipe, loaded.tokenizer_pair
    notes = loaded.weights.notes
    settings = recipe.model_for(TranslationTaskSettings)
    model = loaded.network(lambda: build_model(settings, tokenizer, recipe.seed))
    noted = notes.get("longest_source", "")
    longest = int(noted) if noted.isdecimal() else recipe.batches.max_length
    return LoadedNetwork(recipe, tokenizer, model, longest, notes.get("averaged"))
