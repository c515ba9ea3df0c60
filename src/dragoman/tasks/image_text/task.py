"""Training a CLIP: images with captions, judged by what they find among those not seen."""

from collections.abc import Callable

from dragoman.config.recipe import Recipe
from dragoman.config.task import ImageTextTaskSettings
from dragoman.data.batching.captions import CaptionBatch, CaptionStream, name_batches
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.engine.build import build_clip
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.runtime import Runtime
from dragoman.engine.training.task import ValidationResult
from dragoman.tasks.common.fine_tuning import start_network
from dragoman.tasks.common.kind import TaskKind
from dragoman.tasks.common.mean_loss import mean_loss
from dragoman.tasks.common.pixels import PIXELS_NOTE
from dragoman.tasks.common.positions import check_positions
from dragoman.tasks.common.samples import SAMPLES
from dragoman.tasks.image_text.evaluate import NAME, HeldOutImages, score_matches
from dragoman.tasks.image_text.matcher import Matcher
from dragoman.tasks.image_text.objective import ContrastiveObjective
from dragoman.tasks.image_text.prepare import prepare_captions
from dragoman.tasks.image_text.report import REPORT
from dragoman.tasks.image_text.zero_shot import evaluate_image_text, inputs_to_test


class ImageTextTask:
    """Two towers, and the images and captions that they learn to bring together."""

    def __init__(self, run: RunFolder, recipe: Recipe, runtime: Runtime, *, fresh: bool) -> None:
        """Prepare the images and build the network; `fresh` fills it with what it starts from."""
        self.recipe, self.runtime = recipe, runtime
        self.settings = recipe.task_for(ImageTextTaskSettings)
        settings = recipe.model_for(ImageTextTaskSettings)
        check_positions(settings.text, recipe.batches.max_length, "model.text")
        prepared = prepare_captions(run, recipe)
        self.sets, tokenizer = prepared.sets, prepared.tokenizer
        pixels = prepared.sets.pixels
        model = start_network(
            recipe,
            TokenizerPair(tokenizer, tokenizer),
            lambda known: build_clip(
                settings, pixels.channels, pixels.size, known.source, recipe.seed
            ),
            fresh=fresh,
        ).to(runtime.device)
        model.text.checkpointing = recipe.training.gradient_checkpointing
        channels_last = recipe.images.channels_last
        self.objective = ContrastiveObjective(
            model, recipe.objective, pixels, channels_last=channels_last
        )
        self.notes = {PIXELS_NOTE: pixels.to_json()}
        self.matcher = Matcher(
            model, tokenizer, pixels, longest=recipe.batches.max_length, device=runtime.device
        )
        self.batches = self._validation_batches()
        self.guesses = len(self.train_batches().plan(0)[0])
        self.held_out = len(self.sets.valid.said)

    def train_batches(self) -> CaptionStream:
        """Return the batches."""
        train, recipe = self.sets.train, self.recipe
        return CaptionStream(
            train.store,
            train.captions,
            self.matcher.reader,
            self.settings,
            recipe.images,
            recipe.seed,
        )

    def validate(self, check: Callable[[int], None]) -> ValidationResult:
        """Let the names of the held-out images find them, and the other way round."""
        loss = mean_loss(self.objective, self.batches, self.runtime.device, check)
        valid = self.sets.valid
        tested = HeldOutImages(valid.store.images, valid.said)
        found = score_matches(self.matcher, tested, "valid", (NAME,), check)
        ways = [way for one in found.matches for way in (one.to_image, one.to_text)]
        figures = {
            **{f"recall_at_{k}": sum(w.recall[k] for w in ways) / len(ways) for k in (1, 10)},
            "chance_at_10": sum(way.chance[10] for way in ways) / len(ways),
        }
        return ValidationResult(loss, figures, self._samples())

    def _samples(self) -> tuple[dict[str, str], ...]:
        """Return a few names, what the image is called that each finds, and the names again."""
        valid = self.sets.valid
        names = [one.captions[0].name for one in valid.said]
        asked = list(dict.fromkeys(names))[:SAMPLES]
        seen = self.matcher.see(valid.store.images)
        found = (self.matcher.read(asked) @ seen.T).argmax(dim=1).tolist()
        return tuple(
            {"source": name, "reference": name, "output": names[place]}
            for name, place in zip(asked, found, strict=True)
        )

    def _validation_batches(self) -> list[CaptionBatch]:
        """Gather the held-out images with their names, once for each language."""
        valid, reader, batches = self.sets.valid, self.matcher.reader, []
        for language in valid.languages:
            names = [
                next((c.name for c in one.captions if c.language == language), "")
                for one in valid.said
            ]
            if all(names):
                together = self.recipe.images.batch_size
                batches += name_batches(valid.store, names, reader, together)
        names = [one.captions[0].name for one in valid.said]
        return batches or name_batches(valid.store, names, reader, self.recipe.images.batch_size)


KIND = TaskKind(
    ImageTextTask, Matcher.load, REPORT, inputs_to_test, evaluate_image_text, "encoding"
)
