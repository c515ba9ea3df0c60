"""Train a recipe as one trial of an experiment."""

from pathlib import Path

from dragoman.config.recipe import Recipe
from dragoman.config.training import TrainingSettings
from dragoman.engine.training.interruption import Interrupted
from dragoman.trainer import train


def train_in(place: Path, recipe: Recipe) -> Path:
    """Train a recipe in a unit's folder, or go on there; return the run folder.

    A signal ends the whole experiment, not this unit alone.
    """
    finished = train(recipe, folder=place / recipe.name)
    if finished.interrupted is not None:
        raise Interrupted(finished.interrupted - 128)
    return finished.folder


def plain_training(steps: int) -> TrainingSettings:
    """Return how most units train: on one thread, keeping the weights that validated best."""
    return TrainingSettings(
        steps=steps,
        validate_every=-(-steps // 4),
        checkpoint_every=-(-steps // 2),
        log_every=max(1, steps // 10),
        best_metric="loss",
        keep=1,
        threads=1,
    )
