"""A trained autoencoder: images in, their codes or the rebuilt images out."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from dragoman.config.task import AutoencodingTaskSettings
from dragoman.data.batching.pixels import Bytes, Floats, Pixels, as_bytes, normalize
from dragoman.engine.build import build_autoencoder
from dragoman.engine.checkpoint.load import load_run
from dragoman.neural.models.autoencoder import Autoencoder
from dragoman.tasks.common.pixels import stored_pixels

TOGETHER = 256
"""Images that are looked at together."""


class Reconstructor:
    """A network with what it knows of pixels, ready to be used."""

    def __init__(self, model: Autoencoder, pixels: Pixels, device: torch.device) -> None:
        self.model, self.pixels, self.device = model, pixels, device

    @classmethod
    def load(cls, run: str | Path, *, device: str = "auto") -> "Reconstructor":
        """Load the autoencoder that a run folder holds."""
        loaded = load_run(run, device=device)
        recipe = loaded.recipe
        settings = recipe.model_for(AutoencodingTaskSettings)
        pixels = stored_pixels(loaded)
        model = loaded.network(
            lambda: build_autoencoder(settings, pixels.channels, pixels.size, recipe.seed)
        )
        return cls(model, pixels, loaded.device)

    def encode(
        self, images: Bytes, *, after_batch: Callable[[int], None] | None = None
    ) -> NDArray[np.float32]:
        """Return the codes of images: n h w c -> n k."""
        codes = []
        for begin in range(0, len(images), TOGETHER):
            some = images[begin : begin + TOGETHER]
            codes.append(self.encode_normalized(normalize(np.asarray(some), self.pixels)))
            if after_batch:
                after_batch(len(some))
        return np.concatenate(codes)

    def rebuild(self, images: Bytes) -> Bytes:
        """Return images as their codes tell them: n h w c."""
        return self.decode(self.encode(images))

    def decode(self, codes: NDArray[np.float32]) -> Bytes:
        """Return the images that codes stand for: n k -> n h w c."""
        return as_bytes(self.decode_normalized(codes), self.pixels)

    def encode_normalized(self, images: Floats) -> NDArray[np.float32]:
        """Return the codes of images as the network reads them: b c h w -> b k."""
        with torch.inference_mode():
            return self.model.encode(torch.from_numpy(images).to(self.device)).cpu().numpy()

    def decode_normalized(self, codes: NDArray[np.float32]) -> Floats:
        """Return images as the network writes them: b k -> b c h w."""
        with torch.inference_mode():
            return self.model.decode(torch.from_numpy(codes).to(self.device)).cpu().numpy()
