"""Dragoman trains your own translator on your own machine, and shows you why it works."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dragoman.config.recipe import Recipe as Recipe
    from dragoman.core.errors import CheckpointError as CheckpointError
    from dragoman.core.errors import ConfigError as ConfigError
    from dragoman.core.errors import DataError as DataError
    from dragoman.core.errors import DivergedError as DivergedError
    from dragoman.core.errors import DragomanError as DragomanError
    from dragoman.core.errors import RunError as RunError
    from dragoman.data.tokenizer.pair import TokenizerPair as TokenizerPair
    from dragoman.data.tokenizer.tokenizer import Tokenizer as Tokenizer
    from dragoman.pipeline.open import load as load
    from dragoman.pipeline.translator import Translator as Translator
    from dragoman.tasks.autoencoding.reconstructor import Reconstructor as Reconstructor
    from dragoman.tasks.evaluate import evaluate as evaluate
    from dragoman.tasks.image_classification.classifier import ImageClassifier as ImageClassifier
    from dragoman.tasks.image_text.matcher import Matcher as Matcher
    from dragoman.tasks.language_model.language_model import LanguageModel as LanguageModel
    from dragoman.tasks.masked_lm.masked_language_model import (
        MaskedLanguageModel as MaskedLanguageModel,
    )
    from dragoman.tasks.tagging.tagger import Tagger as Tagger
    from dragoman.tasks.text_classification.classifier import Classifier as Classifier
    from dragoman.trainer import train as train

__version__ = "0.1.0"

_HOMES = {
    "CheckpointError": "dragoman.core.errors",
    "Classifier": "dragoman.tasks.text_classification.classifier",
    "ConfigError": "dragoman.core.errors",
    "DataError": "dragoman.core.errors",
    "DivergedError": "dragoman.core.errors",
    "DragomanError": "dragoman.core.errors",
    "ImageClassifier": "dragoman.tasks.image_classification.classifier",
    "LanguageModel": "dragoman.tasks.language_model.language_model",
    "MaskedLanguageModel": "dragoman.tasks.masked_lm.masked_language_model",
    "Matcher": "dragoman.tasks.image_text.matcher",
    "Recipe": "dragoman.config.recipe",
    "Reconstructor": "dragoman.tasks.autoencoding.reconstructor",
    "RunError": "dragoman.core.errors",
    "Tagger": "dragoman.tasks.tagging.tagger",
    "Tokenizer": "dragoman.data.tokenizer.tokenizer",
    "TokenizerPair": "dragoman.data.tokenizer.pair",
    "Translator": "dragoman.pipeline.translator",
    "evaluate": "dragoman.tasks.evaluate",
    "load": "dragoman.pipeline.open",
    "train": "dragoman.trainer",
}

__all__ = [
    "CheckpointError",
    "Classifier",
    "ConfigError",
    "DataError",
    "DivergedError",
    "DragomanError",
    "ImageClassifier",
    "LanguageModel",
    "MaskedLanguageModel",
    "Matcher",
    "Recipe",
    "Reconstructor",
    "RunError",
    "Tagger",
    "Tokenizer",
    "TokenizerPair",
    "Translator",
    "evaluate",
    "load",
    "train",
]


def __getattr__(name: str) -> Any:
    """Find a public name in the file that defines it, so that `import dragoman` costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'dragoman' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
