"""Pictures: one goes in, and it is asked which of several classes it shows."""

import torch
from torch import Tensor
from torch.nn import functional as F

from dragoman.config.training import ObjectiveSettings
from dragoman.data.batching.images import ImageBatch
from dragoman.data.batching.pixels import Bytes, Pixels, normalised
from dragoman.neural.models.images.network import ImageNetwork
from dragoman.neural.objectives.cross_entropy import Loss

AUXILIARY = 0.3
"""How much an auxiliary head counts (Szegedy et al. 2015)."""


def as_read(
    images: Bytes, pixels: Pixels, device: torch.device, *, channels_last: bool = True
) -> Tensor:
    """Return images as a network reads them: b h w c -> b c h w."""
    read = torch.from_numpy(normalised(images, pixels)).to(device)
    return read if channels_last else read.contiguous()


class ImageTask:
    """Ask for the class of each picture."""

    def __init__(
        self,
        model: ImageNetwork,
        settings: ObjectiveSettings,
        pixels: Pixels,
        *,
        channels_last: bool = True,
    ) -> None:
        self.model, self.settings, self.pixels = model, settings, pixels
        self.channels_last = channels_last
        self.progress = 0.0

    def asked(self, batch: ImageBatch) -> int:
        """Return how many pictures a batch has, by which its loss is divided."""
        return len(batch.classes)

    def targets(self, batch: ImageBatch) -> int:
        """Return what counts for the speed: the pictures."""
        return len(batch.classes)

    def loss(self, batch: ImageBatch, device: torch.device) -> Loss:
        """Return the summed loss of a batch; each picture counts once."""
        images = as_read(batch.images, self.pixels, device, channels_last=self.channels_last)
        classes = torch.from_numpy(batch.classes).to(device)
        smoothing = self.settings.label_smoothing if self.model.training else 0.0
        first, *others = (scores.float() for scores in self.model.heads(images))
        nats = F.cross_entropy(first.detach(), classes, reduction="sum")
        smoothed = F.cross_entropy(first, classes, reduction="sum", label_smoothing=smoothing)
        for scores in others:
            more = F.cross_entropy(scores, classes, reduction="sum", label_smoothing=smoothing)
            smoothed = smoothed + AUXILIARY * more
        return Loss(smoothed=smoothed, nats=nats, positions=len(batch.classes))
