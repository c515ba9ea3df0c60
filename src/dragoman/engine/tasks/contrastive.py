"""Images with captions: each image is asked for its caption, and each caption for its image."""

import torch

from dragoman.config.training import ObjectiveSettings
from dragoman.data.batching.captions import CaptionBatch
from dragoman.data.batching.pixels import Pixels
from dragoman.engine.tasks.images import as_read
from dragoman.neural.models.clip.model import Clip
from dragoman.neural.objectives.contrastive import contrastive
from dragoman.neural.objectives.cross_entropy import Loss


class ContrastiveTask:
    """Ask which of a batch's captions and images belong together."""

    def __init__(
        self,
        model: Clip,
        settings: ObjectiveSettings,
        pixels: Pixels,
        *,
        channels_last: bool = True,
    ) -> None:
        self.model, self.settings, self.pixels = model, settings, pixels
        self.channels_last = channels_last
        self.progress = 0.0

    def asked(self, batch: CaptionBatch) -> int:
        """Return how many pairs a batch has, by which its loss is divided."""
        return len(batch.examples)

    def targets(self, batch: CaptionBatch) -> int:
        """Return what counts for the speed: the pairs."""
        return len(batch.examples)

    def loss(self, batch: CaptionBatch, device: torch.device) -> Loss:
        """Return the summed loss of a batch; each pair counts once."""
        model = self.model
        if model.training:
            model.hold_scale()
        images = as_read(batch.images, self.pixels, device, channels_last=self.channels_last)
        tokens = torch.from_numpy(batch.tokens).to(device)
        scores = model(images, tokens).float()
        return contrastive(scores, self.settings.label_smoothing if model.training else 0.0)
