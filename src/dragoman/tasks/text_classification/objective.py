"""Classification: a text goes in, and it is asked which of several classes it has."""

import torch
from torch import Tensor
from torch.nn import functional as F

from dragoman.config.training import ObjectiveSettings
from dragoman.data.batching.labeled import LabeledBatch
from dragoman.engine.build import ClassifierModel
from dragoman.neural.models.encoder import Encoder
from dragoman.neural.objectives.cross_entropy import Loss


def class_scores(model: ClassifierModel, tokens: Tensor) -> Tensor:
    """Return the scores of the classes of each text: b n -> b c."""
    return model.classify(tokens) if isinstance(model, Encoder) else model(tokens)


class ClassificationObjective:
    """Ask for the class of each text."""

    def __init__(self, model: ClassifierModel, settings: ObjectiveSettings) -> None:
        self.model = model
        self.settings = settings
        self.progress = 0.0

    def denominator(self, batch: LabeledBatch) -> int:
        """Return how many texts a batch has, by which its loss is divided."""
        return len(batch.classes)

    def targets(self, batch: LabeledBatch) -> int:
        """Return how many tokens of a batch count for the speed: all that are read."""
        return int(batch.lengths.sum())

    def loss(self, batch: LabeledBatch, device: torch.device) -> Loss:
        """Return the summed loss of a batch; each text counts once."""
        tokens = torch.from_numpy(batch.tokens).to(device)
        classes = torch.from_numpy(batch.classes).to(device)
        scores = class_scores(self.model, tokens).float()  # b c
        smoothing = self.settings.label_smoothing if self.model.training else 0.0
        nats = F.cross_entropy(scores.detach(), classes, reduction="sum")
        smoothed = F.cross_entropy(scores, classes, reduction="sum", label_smoothing=smoothing)
        return Loss(smoothed=smoothed, nats=nats, positions=len(batch.classes))
