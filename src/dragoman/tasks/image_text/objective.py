"""Images with captions: each image is asked for its caption, and each caption for its image."""

import torch

from dragoman.config.training import ObjectiveSettings
from dragoman.data.batching.captions import CaptionBatch
from dragoman.neural.models.clip.model import Clip
from dragoman.neural.objectives.contrastive import contrastive
from dragoman.neural.objectives.cross_entropy import Loss
from dragoman.tasks.common.pixels import ImageObjective


class ContrastiveObjective(ImageObjective[Clip, ObjectiveSettings]):
    """Ask which of a batch's captions and images belong together."""

    def loss(self, batch: CaptionBatch, device: torch.device) -> Loss:
        """Return the summed loss of a batch; each pair counts once."""
        model = self.model
        if model.training:
            model.hold_scale()
        images = self.read(batch, device)
        tokens = torch.from_numpy(batch.tokens).to(device)
        scores = model(images, tokens).float()
        return contrastive(scores, self.settings.label_smoothing if model.training else 0.0)
