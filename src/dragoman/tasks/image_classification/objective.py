"""Images: one goes in, and it is asked which of several classes it shows."""

import torch
from torch.nn import functional as F

from dragoman.config.training import ObjectiveSettings
from dragoman.data.batching.images import ImageBatch
from dragoman.neural.models.images.network import ImageNetwork
from dragoman.neural.objectives.cross_entropy import Loss
from dragoman.tasks.common.pixels import ImageObjective

AUXILIARY = 0.3
"""How much an auxiliary head counts (Szegedy et al. 2015)."""


class ImageClassificationObjective(ImageObjective[ImageNetwork, ObjectiveSettings]):
    """Ask for the class of each image."""

    def loss(self, batch: ImageBatch, device: torch.device) -> Loss:
        """Return the summed loss of a batch; each image counts once."""
        images = self.read(batch, device)
        classes = torch.from_numpy(batch.classes).to(device)
        smoothing = self.settings.label_smoothing if self.model.training else 0.0
        first, *others = (scores.float() for scores in self.model.heads(images))
        nats = F.cross_entropy(first.detach(), classes, reduction="sum")
        smoothed = F.cross_entropy(first, classes, reduction="sum", label_smoothing=smoothing)
        for scores in others:
            more = F.cross_entropy(scores, classes, reduction="sum", label_smoothing=smoothing)
            smoothed = smoothed + AUXILIARY * more
        return Loss(smoothed=smoothed, nats=nats, positions=len(batch.classes))
