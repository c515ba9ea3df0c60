"""Training an autoencoder, judged by how much of unseen pictures it rebuilds."""

from collections.abc import Callable

from dragoman.config.recipe import Recipe
from dragoman.config.task import AutoencodingTaskSettings
from dragoman.data.batching.images import ImageStream, in_order
from dragoman.engine.build import build_autoencoder
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.runtime import Runtime
from dragoman.engine.training.task import ValidationResult
from dragoman.tasks.autoencoding.evaluate import evaluate_reconstruction
from dragoman.tasks.autoencoding.objective import ReconstructionObjective
from dragoman.tasks.autoencoding.pixel_rows import error_of_the_mean
from dragoman.tasks.autoencoding.reconstructor import TOGETHER, Reconstructor
from dragoman.tasks.autoencoding.report import REPORT
from dragoman.tasks.common.fine_tuning import start_image_network
from dragoman.tasks.common.image_preparation import images_to_test, prepare_images
from dragoman.tasks.common.kind import TaskKind
from dragoman.tasks.common.mean_loss import mean_loss
from dragoman.tasks.common.pixels import PIXELS_NOTE


class AutoencodingTask:
    """An autoencoder and its pictures."""

    guesses = 256
    """Values that a pixel may have; a network that is worse off than guessing them has gone mad."""

    def __init__(self, run: RunFolder, recipe: Recipe, runtime: Runtime, *, fresh: bool) -> None:
        """Prepare the pictures and build the network; `fresh` fills it with what it starts from."""
        self.recipe, self.runtime = recipe, runtime
        task = recipe.task_for(AutoencodingTaskSettings)
        self.sets = sets = prepare_images(run, recipe, recipe.corpus_for(AutoencodingTaskSettings))
        chosen, pixels = recipe.model_for(AutoencodingTaskSettings), sets.pixels
        model = start_image_network(
            recipe,
            lambda: build_autoencoder(chosen, pixels.channels, pixels.size, recipe.seed),
            fresh=fresh,
            notes={},
            head="",
        ).to(runtime.device)
        last = recipe.images.channels_last
        self.objective = ReconstructionObjective(model, task, pixels, channels_last=last)
        self.notes = {PIXELS_NOTE: pixels.to_json()}
        self.held_out = len(sets.valid)
        self.batches = in_order(sets.valid, TOGETHER)
        self.nothing_learned = error_of_the_mean(sets.train.images, sets.valid.images, pixels)

    def train_batches(self) -> ImageStream:
        """Return the batches."""
        pixels = self.sets.pixels
        return ImageStream(self.sets.train, self.recipe.images, self.recipe.seed, pixels.middle)

    def validate(self, check: Callable[[int], None]) -> ValidationResult:
        """Return the squared error of a pixel, and the share of the variance that is rebuilt."""
        loss = mean_loss(self.objective, self.batches, self.runtime.device, check)
        nothing = self.nothing_learned
        return ValidationResult(loss, {"rebuilt": 1 - loss / nothing if nothing else 0.0})


KIND = TaskKind(
    AutoencodingTask,
    Reconstructor.load,
    REPORT,
    images_to_test,
    evaluate_reconstruction,
    "reconstructing",
)
