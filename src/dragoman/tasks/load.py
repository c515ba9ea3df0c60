"""Loading a trained run for use, whatever its task."""

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
from dragoman.core.errors import RunError
from dragoman.engine.checkpoint.folder import trained_run
from dragoman.tasks.autoencoding.reconstructor import Reconstructor
from dragoman.tasks.image_classification.classifier import ImageClassifier
from dragoman.tasks.image_text.matcher import Matcher
from dragoman.tasks.language_model.language_model import LanguageModel
from dragoman.tasks.masked_lm.masked_language_model import MaskedLanguageModel
from dragoman.tasks.text_classification.classifier import Classifier
from dragoman.tasks.translation.translator import Translator

Predictor = (
    Translator
    | LanguageModel
    | MaskedLanguageModel
    | Classifier
    | ImageClassifier
    | Reconstructor
    | Matcher
)
"""What uses a trained network, by its task."""


def load(run: str | Path, *, device: str = "auto") -> Predictor:  # noqa: C901 - one case a task
    """Load the trained network of a run folder, ready to use; its class says what it can do."""
    task = read_recipe(trained_run(Path(run)).recipe).task
    match task:
        case TranslationTaskSettings():
            return Translator.load(run, device=device)
        case LanguageTaskSettings():
            return LanguageModel.load(run, device=device)
        case MaskedTaskSettings():
            return MaskedLanguageModel.load(run, device=device)
        case ClassificationTaskSettings():
            return Classifier.load(run, device=device)
        case ImageTaskSettings():
            return ImageClassifier.load(run, device=device)
        case AutoencodingTaskSettings():
            return Reconstructor.load(run, device=device)
        case ImageTextTaskSettings():
            return Matcher.load(run, device=device)
        case SpansTaskSettings():
            raise RunError(
                f"{run}: a network that restores spans is there to be fine-tuned. Start another "
                "run from it (start.from), or judge it with `dragoman evaluate`."
            )
        case _:
            assert_never(task)
