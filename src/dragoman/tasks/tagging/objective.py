"""The loss of tagging: the cross entropy of the label at the first token of each word."""

import numpy as np
import torch
from torch.nn import functional as F

from dragoman.config.training import ObjectiveSettings
from dragoman.neural.objectives.cross_entropy import Loss
from dragoman.tasks.tagging.batches import IGNORED, TagBatch
from dragoman.tasks.tagging.network import TaggerModel


class TaggingObjective:
    """Ask for the label of each word."""

    def __init__(self, model: TaggerModel, settings: ObjectiveSettings) -> None:
        self.model = model
        self.settings = settings
        self.progress = 0.0

    def denominator(self, batch: TagBatch) -> int:
        """Return how many words a batch has, by which its loss is divided."""
        return int(np.count_nonzero(batch.labels != IGNORED))

    def targets(self, batch: TagBatch) -> int:
        """Return how many words of a batch count for the speed."""
        return self.denominator(batch)

    def loss(self, batch: TagBatch, device: torch.device) -> Loss:
        """Return the summed loss of a batch; each word counts once."""
        labels = torch.from_numpy(batch.labels).to(device)
        words = labels.ne(IGNORED)
        scores = self.model(torch.from_numpy(batch.tokens).to(device))[words].float()  # w c
        true = labels[words]
        smoothing = self.settings.label_smoothing if self.model.training else 0.0
        nats = F.cross_entropy(scores.detach(), true, reduction="sum")
        smoothed = F.cross_entropy(scores, true, reduction="sum", label_smoothing=smoothing)
        return Loss(smoothed=smoothed, nats=nats, positions=len(true))
