"""Which task a recipe asks for."""

from typing import assert_never

from dragoman.config.recipe import Recipe
from dragoman.config.task import (
    AutoencodingTask,
    ClassificationTask,
    ImageTask,
    ImageTextTask,
    LanguageTask,
    MaskedTask,
    SpansTask,
    TranslationTask,
)
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.runtime import Runtime
from dragoman.engine.training.job import Job
from dragoman.tasks.autoencoding.task import AutoencodingJob
from dragoman.tasks.image_classification.task import ImageJob
from dragoman.tasks.image_text.task import ImageTextJob
from dragoman.tasks.language_model.task import LanguageJob
from dragoman.tasks.masked_lm.task import MaskedJob
from dragoman.tasks.span_corruption.task import SpansJob
from dragoman.tasks.text_classification.task import ClassificationJob
from dragoman.tasks.translation.task import TranslationJob


def open_job(run: RunFolder, recipe: Recipe, runtime: Runtime, *, fresh: bool) -> Job:
    """Prepare what a recipe asks for; `fresh` draws first weights, which else will be replaced."""
    match recipe.task:
        case TranslationTask():
            return TranslationJob(run, recipe, runtime, fresh=fresh)
        case LanguageTask():
            return LanguageJob(run, recipe, runtime, fresh=fresh)
        case ClassificationTask():
            return ClassificationJob(run, recipe, runtime, fresh=fresh)
        case ImageTask() | AutoencodingTask() | ImageTextTask():
            return _open_picture_job(run, recipe, recipe.task, runtime, fresh=fresh)
        case MaskedTask():
            return MaskedJob(run, recipe, recipe.task, runtime, fresh=fresh)
        case SpansTask():
            return SpansJob(run, recipe, recipe.task, runtime, fresh=fresh)
        case _:
            assert_never(recipe.task)


def _open_picture_job(
    run: RunFolder,
    recipe: Recipe,
    task: ImageTask | AutoencodingTask | ImageTextTask,
    runtime: Runtime,
    *,
    fresh: bool,
) -> Job:
    match task:
        case ImageTask():
            return ImageJob(run, recipe, runtime, fresh=fresh)
        case AutoencodingTask():
            return AutoencodingJob(run, recipe, task, runtime, fresh=fresh)
        case ImageTextTask():
            return ImageTextJob(run, recipe, task, runtime, fresh=fresh)
        case _:
            assert_never(task)
