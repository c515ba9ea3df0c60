"""A trained classifier of images: files or pixels in, classes with their probabilities out."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from dragoman.config.task import ImageTaskSettings
from dragoman.data.batching.pixels import Pixels
from dragoman.data.formats.image_files import read_image
from dragoman.engine.build import build_image_model
from dragoman.engine.checkpoint.load import load_run
from dragoman.neural.models.images.network import ImageNetwork
from dragoman.tasks.common.classes import ClassPrediction, read_classes
from dragoman.tasks.common.pixels import as_read, stored_pixels

TOGETHER = 256
"""Images classified at once."""


class ImageClassifier:
    """A network with what it knows of pixels and the names of its classes, ready to be used."""

    def __init__(
        self, model: ImageNetwork, pixels: Pixels, classes: Sequence[str], device: torch.device
    ) -> None:
        self.model, self.pixels, self.device = model, pixels, device
        self.classes = tuple(classes)

    @classmethod
    def load(cls, run: str | Path, *, device: str = "auto") -> "ImageClassifier":
        """Load the classifier that a run folder holds."""
        loaded = load_run(run, device=device)
        recipe = loaded.recipe
        settings = recipe.model_for(ImageTaskSettings)
        classes = read_classes(loaded.weights.notes, loaded.folder.model)
        pixels = stored_pixels(loaded)
        shape = pixels.channels, pixels.size, len(classes)
        model = loaded.network(lambda: build_image_model(settings, *shape, recipe.seed))
        return cls(model, pixels, classes, loaded.device)

    def read(self, path: Path) -> NDArray[np.uint8]:
        """Read an image as this network was shown its own."""
        pixels = self.pixels
        return read_image(path, size=pixels.size, channels=pixels.channels, fit=pixels.fit)

    def classify_files(self, paths: Sequence[Path]) -> list[ClassPrediction]:
        """Return what each file shows, in their order."""
        return self.classify(np.stack([self.read(path) for path in paths])) if paths else []

    def classify(
        self,
        images: NDArray[np.uint8],  # n h w c
        *,
        after_batch: Callable[[int], None] | None = None,
    ) -> list[ClassPrediction]:
        """Return what each image shows, in their order."""
        found: list[ClassPrediction] = []
        for begin in range(0, len(images), TOGETHER):
            some = images[begin : begin + TOGETHER]
            for shares in self._probabilities(some):
                likeliest = max(range(len(shares)), key=shares.__getitem__)
                whole = dict(zip(self.classes, shares, strict=True))
                found.append(ClassPrediction(self.classes[likeliest], whole))
            if after_batch:
                after_batch(len(some))
        return found

    def _probabilities(self, images: NDArray[np.uint8]) -> list[list[float]]:
        read = as_read(np.asarray(images), self.pixels, self.device)
        with torch.inference_mode():
            return self.model(read).double().softmax(dim=-1).tolist()
