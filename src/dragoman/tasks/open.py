"""The one place that knows every kind of task: which folder serves a recipe."""

from pathlib import Path
from typing import assert_never

from dragoman.config.reading import read_recipe
from dragoman.config.recipe import Recipe
from dragoman.config.task import (
    AutoencodingTaskSettings,
    ClassificationTaskSettings,
    ImageTaskSettings,
    ImageTextTaskSettings,
    LanguageTaskSettings,
    MaskedTaskSettings,
    SpansTaskSettings,
    TaggingTaskSettings,
    TaskSettings,
    TranslationTaskSettings,
)
from dragoman.engine.checkpoint.folder import RunFolder, trained_run
from dragoman.engine.runtime import Runtime
from dragoman.engine.training.task import Task
from dragoman.tasks.autoencoding import task as autoencoding
from dragoman.tasks.autoencoding.reconstructor import Reconstructor
from dragoman.tasks.common.kind import TaskKind
from dragoman.tasks.image_classification import task as image_classification
from dragoman.tasks.image_classification.classifier import ImageClassifier
from dragoman.tasks.image_text import task as image_text
from dragoman.tasks.image_text.matcher import Matcher
from dragoman.tasks.language_model import task as language_model
from dragoman.tasks.language_model.language_model import LanguageModel
from dragoman.tasks.masked_lm import task as masked_lm
from dragoman.tasks.masked_lm.masked_language_model import MaskedLanguageModel
from dragoman.tasks.span_corruption import task as span_corruption
from dragoman.tasks.tagging import task as tagging
from dragoman.tasks.tagging.tagger import Tagger
from dragoman.tasks.text_classification import task as text_classification
from dragoman.tasks.text_classification.classifier import Classifier
from dragoman.tasks.translation import task as translation
from dragoman.tasks.translation.bare_translator import BareTranslator

Predictor = (
    BareTranslator
    | LanguageModel
    | MaskedLanguageModel
    | Classifier
    | Tagger
    | ImageClassifier
    | Reconstructor
    | Matcher
)
"""What uses a trained network, by its task."""


def task_kind(task: TaskSettings) -> TaskKind[Predictor]:  # noqa: C901 - one case a task
    """Find the folder of a task."""
    match task:
        case TranslationTaskSettings():
            return translation.KIND
        case LanguageTaskSettings():
            return language_model.KIND
        case MaskedTaskSettings():
            return masked_lm.KIND
        case SpansTaskSettings():
            return span_corruption.KIND
        case ClassificationTaskSettings():
            return text_classification.KIND
        case TaggingTaskSettings():
            return tagging.KIND
        case ImageTaskSettings():
            return image_classification.KIND
        case AutoencodingTaskSettings():
            return autoencoding.KIND
        case ImageTextTaskSettings():
            return image_text.KIND
        case _:
            assert_never(task)


def open_task(run: RunFolder, recipe: Recipe, runtime: Runtime, *, fresh: bool) -> Task:
    """Prepare what a recipe asks for; `fresh` draws first weights, which else will be replaced."""
    return task_kind(recipe.task).open(run, recipe, runtime, fresh=fresh)


def kind_of_run(run: Path) -> TaskKind[Predictor]:
    """Find the task of a trained run; refuse a folder that holds none."""
    return task_kind(read_recipe(trained_run(run).recipe).task)
