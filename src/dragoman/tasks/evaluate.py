"""Evaluating a trained run on its test sets or on given files, whatever its task."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import assert_never

from dragoman.config.reading import read_recipe
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
from dragoman.core.errors import ConfigError
from dragoman.engine.checkpoint.folder import trained_run
from dragoman.tasks.autoencoding.evaluate import ReconstructionEvaluation, evaluate_reconstruction
from dragoman.tasks.common.classes import ClassificationEvaluation
from dragoman.tasks.image_classification.evaluate import evaluate_images
from dragoman.tasks.image_text.evaluate import RetrievalEvaluation, evaluate_matches
from dragoman.tasks.language_model.evaluate import LanguageModelEvaluation, evaluate_texts
from dragoman.tasks.masked_lm.evaluate import MaskedEvaluation, evaluate_masked
from dragoman.tasks.span_corruption.evaluate import SpanEvaluation, evaluate_spans
from dragoman.tasks.text_classification.evaluate import evaluate_classes
from dragoman.tasks.translation.evaluate import BOOTSTRAP, TranslationEvaluation
from dragoman.tasks.translation.evaluate import evaluate as evaluate_translations

TaskEvaluation = (
    TranslationEvaluation
    | LanguageModelEvaluation
    | MaskedEvaluation
    | SpanEvaluation
    | ClassificationEvaluation
    | ReconstructionEvaluation
    | RetrievalEvaluation
)
"""How good a network is on one test set, by its task."""


def evaluate(
    run: str | Path,
    files: Sequence[str | Path] = (),
    *,
    to: str | None = None,
    beam: int | None = None,
    bootstrap: int = BOOTSTRAP,
    also: Sequence[str | Path] = (),
    after_batch: Callable[[int], None] | None = None,
) -> Sequence[TaskEvaluation]:
    """Judge a run on its test sets (or on given files); store the scores and the card.

    `to`, `beam`, `bootstrap` and `also` (runs of an ensemble) are for translators.
    """
    folder, paths = Path(run), [Path(file) for file in files]
    task = read_recipe(trained_run(folder).recipe).task
    if isinstance(task, TranslationTaskSettings):
        return evaluate_translations(
            folder,
            paths,
            to=to,
            beam=beam,
            bootstrap=bootstrap,
            also=[Path(one) for one in also],
            after_batch=after_batch,
        )
    if to is not None or beam is not None or also:
        raise ConfigError(
            f"{run}: task.kind = {task.kind!r} translates nothing. Leave out to, beam and also."
        )
    return _evaluate_others(folder, paths, task, after_batch)


def _evaluate_others(
    run: Path,
    files: list[Path],
    task: LanguageTaskSettings
    | MaskedTaskSettings
    | SpansTaskSettings
    | ClassificationTaskSettings
    | ImageTaskSettings
    | AutoencodingTaskSettings
    | ImageTextTaskSettings,
    after_batch: Callable[[int], None] | None,
) -> Sequence[TaskEvaluation]:
    after = after_batch or (lambda _: None)
    match task:
        case LanguageTaskSettings():
            return evaluate_texts(run, files, after)
        case MaskedTaskSettings():
            return evaluate_masked(run, files, after)
        case SpansTaskSettings():
            return evaluate_spans(run, files, after)
        case ClassificationTaskSettings():
            return evaluate_classes(run, files, after_batch)
        case ImageTaskSettings():
            return evaluate_images(run, files, after_batch)
        case AutoencodingTaskSettings():
            return evaluate_reconstruction(run, files, after_batch)
        case ImageTextTaskSettings():
            return evaluate_matches(run, files, after_batch)
        case _:
            assert_never(task)
