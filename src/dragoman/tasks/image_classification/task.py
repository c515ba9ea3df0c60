"""Training a classifier of images, judged by how it sorts those it has not seen."""

import json
from collections.abc import Callable

from dragoman.config.recipe import Recipe
from dragoman.config.task import ImageTaskSettings
from dragoman.data.batching.images import ImageStream, in_order
from dragoman.engine.build import build_image_model
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.runtime import Runtime
from dragoman.engine.training.task import ValidationResult
from dragoman.tasks.common.classes import NOTE
from dragoman.tasks.common.fine_tuning import start_image_network
from dragoman.tasks.common.image_preparation import images_to_test, prepare_images
from dragoman.tasks.common.kind import TaskKind
from dragoman.tasks.common.mean_loss import mean_loss
from dragoman.tasks.common.pixels import PIXELS_NOTE
from dragoman.tasks.image_classification.classifier import TOGETHER, ImageClassifier
from dragoman.tasks.image_classification.evaluate import evaluate_images, score_images
from dragoman.tasks.image_classification.objective import ImageClassificationObjective
from dragoman.tasks.image_classification.report import REPORT


class ImageClassificationTask:
    """A classifier and its images."""

    def __init__(self, run: RunFolder, recipe: Recipe, runtime: Runtime, *, fresh: bool) -> None:
        """Prepare the images and build the network; `fresh` fills it with what it starts from."""
        self.recipe, self.runtime = recipe, runtime
        self.sets = sets = prepare_images(run, recipe, recipe.corpus_for(ImageTaskSettings))
        names, settings = list(sets.classes), recipe.model_for(ImageTaskSettings)
        shape = sets.pixels.channels, sets.pixels.size, len(names)
        named = {NOTE: json.dumps(names, ensure_ascii=False)}
        self.notes = {**named, PIXELS_NOTE: sets.pixels.to_json()}
        model = start_image_network(
            recipe,
            lambda: build_image_model(settings, *shape, recipe.seed),
            fresh=fresh,
            notes=named,
            head="output",
        ).to(runtime.device)
        self.objective = ImageClassificationObjective(
            model, recipe.objective, sets.pixels, channels_last=recipe.images.channels_last
        )
        self.guesses, self.held_out = len(names), len(sets.valid)
        self.classifier = ImageClassifier(model, sets.pixels, names, runtime.device)
        self.batches = in_order(sets.valid, TOGETHER)

    def train_batches(self) -> ImageStream:
        """Return the batches."""
        return ImageStream(
            self.sets.train, self.recipe.images, self.recipe.seed, self.sets.pixels.middle
        )

    def validate(self, check: Callable[[int], None]) -> ValidationResult:
        """Classify the held-out images; the commonest class is what any answer must beat."""
        loss = mean_loss(self.objective, self.batches, self.runtime.device, check)
        found = score_images(self.classifier, self.sets.valid, "valid", self.sets.classes, check)
        return ValidationResult(loss, found.figures())


KIND = TaskKind(
    ImageClassificationTask,
    ImageClassifier.load,
    REPORT,
    images_to_test,
    evaluate_images,
    "classifying",
)
