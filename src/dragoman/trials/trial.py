"""A trial: the settings that determine one piece of work, and a training as one."""

from pathlib import Path

from dragoman.config.recipe import Recipe
from dragoman.config.settings import Settings
from dragoman.engine.training.interruption import Interrupted
from dragoman.trainer import train


class Trial(Settings):
    """The settings of a trial, by which its result is found again."""

    @property
    def title(self) -> str:
        """The line that is printed when it begins."""
        return str(self)


def train_in(place: Path, recipe: Recipe) -> Path:
    """Train a recipe in a trial's folder, or resume there; return the run folder.

    A signal ends the whole study, not this trial alone.
    """
    finished = train(recipe, folder=place / recipe.name)
    if finished.interrupted is not None:
        raise Interrupted(finished.interrupted - 128)
    return finished.folder
