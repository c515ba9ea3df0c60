"""Causal language modelling: each token of a text is predicted from those before it.

Every token of a document is asked for the next one, and padding, which is in no document, is not.
So the padding may be any entry: some vocabularies have none of their own.
"""

import numpy as np
import torch

from dragoman.config.training import ObjectiveSettings
from dragoman.data.batching.text_batch import TextBatch
from dragoman.engine.build import LanguageNetwork
from dragoman.neural.models.decoder_only import DecoderOnly
from dragoman.neural.objectives.cross_entropy import Loss, cross_entropy

NOTHING = -1
"""The label of padding: no entry has this number."""


class NextTokenObjective:
    """Ask for the token that follows each."""

    def __init__(self, model: LanguageNetwork, settings: ObjectiveSettings) -> None:
        self.model = model
        self.settings = settings
        self.progress = 0.0

    def denominator(self, batch: TextBatch) -> int:
        """Return how many tokens a batch asks for, by which its loss is divided."""
        return int(np.count_nonzero(batch.documents))

    def targets(self, batch: TextBatch) -> int:
        """Return how many tokens of a batch count for the speed: those it asks for."""
        return self.denominator(batch)

    def loss(self, batch: TextBatch, device: torch.device) -> Loss:
        """Return the summed loss of a batch; each token that is asked for counts once."""
        tokens = torch.from_numpy(batch.tokens).to(device)
        documents = torch.from_numpy(batch.documents).to(device)
        labels = torch.from_numpy(batch.labels).to(device).masked_fill(documents.eq(0), NOTHING)
        if isinstance(self.model, DecoderOnly) and batch.documents.max(initial=0) > 1:
            states = self.model.read(tokens, documents)
        else:
            states = self.model.read(tokens)
        return cross_entropy(
            states,
            self.model.output.weight,
            labels,
            padding=NOTHING,
            smoothing=self.settings.label_smoothing if self.model.training else 0.0,
            bias=self.model.output.bias,
        )
