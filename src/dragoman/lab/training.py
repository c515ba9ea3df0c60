"""Train a recipe as one unit of an experiment."""

from pathlib import Path

from dragoman.config.recipe import Recipe
from dragoman.engine.recipe import train
from dragoman.engine.training.interruption import Interrupted


def train_in(place: Path, recipe: Recipe) -> Path:
    """Train a recipe in a unit's folder, or go on there; return the run folder.

    A signal ends the whole experiment, not this unit alone.
    """
    finished = train(recipe, folder=place / recipe.name)
    if finished.interrupted is not None:
        raise Interrupted(finished.interrupted - 128)
    return finished.folder
