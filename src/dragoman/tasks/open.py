"""The dispatch from a recipe to its task."""

from typing import assert_never

from dragoman.config.recipe import Recipe
from dragoman.config.task import (
    AutoencodingTaskSettings,
    ClassificationTaskSettings,
    ImageTaskSettings,
    ImageTextTaskSettings,
    LanguageTaskSettings,
    MaskedTaskSettings,
    SpansTaskSettings,
    TranslationTaskSettings,
)
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.runtime import Runtime
from dragoman.engine.training.task import Task
from dragoman.tasks.autoencoding.task import AutoencodingTask
from dragoman.tasks.image_classification.task import ImageClassificationTask
from dragoman.tasks.image_text.task import ImageTextTask
from dragoman.tasks.language_model.task import LanguageModelTask
from dragoman.tasks.masked_lm.task import MaskedLanguageModelTask
from dragoman.tasks.span_corruption.task import SpanCorruptionTask
from dragoman.tasks.text_classification.task import TextClassificationTask
from dragoman.tasks.translation.task import TranslationTask


def open_task(run: RunFolder, recipe: Recipe, runtime: Runtime, *, fresh: bool) -> Task:
    """Prepare what a recipe asks for; `fresh` draws first weights, which else will be replaced."""
    match recipe.task:
        case TranslationTaskSettings():
            return TranslationTask(run, recipe, runtime, fresh=fresh)
        case LanguageTaskSettings():
            return LanguageModelTask(run, recipe, runtime, fresh=fresh)
        case ClassificationTaskSettings():
            return TextClassificationTask(run, recipe, runtime, fresh=fresh)
        case ImageTaskSettings() | AutoencodingTaskSettings() | ImageTextTaskSettings():
            return _open_image_task(run, recipe, recipe.task, runtime, fresh=fresh)
        case MaskedTaskSettings():
            return MaskedLanguageModelTask(run, recipe, recipe.task, runtime, fresh=fresh)
        case SpansTaskSettings():
            return SpanCorruptionTask(run, recipe, recipe.task, runtime, fresh=fresh)
        case _:
            assert_never(recipe.task)


def _open_image_task(
    run: RunFolder,
    recipe: Recipe,
    task: ImageTaskSettings | AutoencodingTaskSettings | ImageTextTaskSettings,
    runtime: Runtime,
    *,
    fresh: bool,
) -> Task:
    match task:
        case ImageTaskSettings():
            return ImageClassificationTask(run, recipe, runtime, fresh=fresh)
        case AutoencodingTaskSettings():
            return AutoencodingTask(run, recipe, task, runtime, fresh=fresh)
        case ImageTextTaskSettings():
            return ImageTextTask(run, recipe, task, runtime, fresh=fresh)
        case _:
            assert_never(task)
