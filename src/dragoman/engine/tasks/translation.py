"""Translation: a source goes into the encoder, the target is guessed token by token.

Teacher forcing: the decoder sees the right previous tokens, `target[:, :-1]`, and is asked for the
ones that follow, `target[:, 1:]`. Which states are asked for which tokens is the model's to say: a
decoder-only one may be asked for the source as well.
"""

import torch

from dragoman.config.training import ObjectiveSettings
from dragoman.data.batching.batch import Batch
from dragoman.data.tokenizer.symbols import PAD
from dragoman.engine.build import TranslationModel
from dragoman.neural.objectives.cross_entropy import Loss, cross_entropy


class TranslationTask:
    """Say which part of a batch the model reads, and which part it is asked for."""

    def __init__(self, model: TranslationModel, settings: ObjectiveSettings) -> None:
        self.model = model
        self.smoothing = settings.label_smoothing

    def loss(self, batch: Batch, device: torch.device) -> Loss:
        """Return the summed loss of a batch; each real target token counts once."""
        source = torch.from_numpy(batch.source).to(device)
        target = torch.from_numpy(batch.target).to(device)
        states, labels = self.model.scored(source, target)
        return cross_entropy(
            states,
            self.model.output.weight,
            labels,
            padding=PAD,
            smoothing=self.smoothing if self.model.training else 0.0,
            bias=self.model.output.bias,
        )
