"""Causal language modelling: each token of a text is guessed from those before it."""

import numpy as np
import torch

from dragoman.config.training import ObjectiveSettings
from dragoman.data.batching.text_batch import TextBatch
from dragoman.data.tokenizer.symbols import PAD
from dragoman.engine.build import LanguageModel
from dragoman.neural.models.decoder_only import DecoderOnly
from dragoman.neural.objectives.cross_entropy import Loss, cross_entropy


class LanguageTask:
    """Ask for the token that follows each."""

    def __init__(self, model: LanguageModel, settings: ObjectiveSettings) -> None:
        self.model = model
        self.settings = settings
        self.progress = 0.0

    def asked(self, batch: TextBatch) -> int:
        """Return how many tokens a batch asks for, by which its loss is divided."""
        return int(np.count_nonzero(batch.labels != PAD))

    def targets(self, batch: TextBatch) -> int:
        """Return how many tokens of a batch count for the speed: those it asks for."""
        return self.asked(batch)

    def loss(self, batch: TextBatch, device: torch.device) -> Loss:
        """Return the summed loss of a batch; each token that is asked for counts once."""
        tokens = torch.from_numpy(batch.tokens).to(device)
        if isinstance(self.model, DecoderOnly) and batch.documents.max(initial=0) > 1:
            states = self.model.read(tokens, torch.from_numpy(batch.documents).to(device))
        else:
            states = self.model.read(tokens)
        return cross_entropy(
            states,
            self.model.output.weight,
            torch.from_numpy(batch.labels).to(device),
            padding=PAD,
            smoothing=self.settings.label_smoothing if self.model.training else 0.0,
            bias=self.model.output.bias,
        )
