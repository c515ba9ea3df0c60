"""Dragoman trains your own translator on your own machine, and shows you why it works."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dragoman.config.recipe import Recipe as Recipe
    from dragoman.core.errors import DragomanError as DragomanError
    from dragoman.tasks.translation.evaluate import evaluate as evaluate
    from dragoman.tasks.translation.translator import Translator as Translator
    from dragoman.trainer import train as train

__version__ = "0.1.0"

_HOMES = {
    "DragomanError": "dragoman.core.errors",
    "Recipe": "dragoman.config.recipe",
    "Translator": "dragoman.tasks.translation.translator",
    "evaluate": "dragoman.tasks.translation.evaluate",
    "train": "dragoman.trainer",
}

__all__ = ["DragomanError", "Recipe", "Translator", "evaluate", "train"]


def __getattr__(name: str) -> Any:
    """Find a public name in the file that defines it, so that `import dragoman` costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'dragoman' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
