"""Autoencoding: an image goes in, corrupted or not, and the image itself is asked for."""

import torch
from torch import Tensor

from dragoman.config.task import AutoencodingTaskSettings
from dragoman.data.batching.images import ImageBatch
from dragoman.neural.models.autoencoder import Autoencoder
from dragoman.neural.objectives.cross_entropy import Loss
from dragoman.tasks.common.pixels import ImageBatchLike, ImageObjective


def corrupt(
    images: Tensor, settings: AutoencodingTaskSettings, random: torch.Generator | None = None
) -> Tensor:
    """Return normalized images with noise on them and pixels masked: b c h w.

    A hidden pixel is 0 in every colour, which is the mean and says nothing. With a generator the
    same is drawn each time; without, what is drawn follows from the seed of the step.
    """
    drawn_on = images.device if random is None else random.device
    if settings.noise:
        noise = torch.randn(images.shape, generator=random, device=drawn_on)
        images = images + settings.noise * noise.to(images.device)
    if settings.masked_share:
        places = (len(images), 1, *images.shape[2:])
        uniforms = torch.rand(places, generator=random, device=drawn_on)
        images = images * (uniforms >= settings.masked_share).to(images.device)
    return images


def corrupt_held_out(images: Tensor, settings: AutoencodingTaskSettings, first: int) -> Tensor:
    """Corrupt held-out images, of which the first has this number, as at any other time."""
    return corrupt(images, settings, torch.Generator().manual_seed(first))


class ReconstructionObjective(ImageObjective[Autoencoder, AutoencodingTaskSettings]):
    """Ask for each pixel of each image."""

    def denominator(self, batch: ImageBatchLike) -> int:
        """Return how many pixels a batch asks for, in each of their colours."""
        return batch.images.size

    def loss(self, batch: ImageBatch, device: torch.device) -> Loss:
        """Return the summed squared error of a batch; every pixel counts once."""
        images = self.read(batch, device)
        if self.model.training:
            given = corrupt(images, self.settings)
        else:
            given = corrupt_held_out(images, self.settings, int(batch.examples[0]))
        error = (self.model(given).float() - images).square().sum()
        return Loss(smoothed=error, nats=error.detach(), positions=batch.images.size)
