"""Teacher forcing: a source goes into the encoder, the target is predicted token by token.

The decoder sees the right previous tokens, `target[:, :-1]`, and is asked for the
ones that follow, `target[:, 1:]`. Which states are asked for which tokens is the model's to say: a
decoder-only one may be asked for the source as well.

Scheduled sampling (Bengio et al. 2015): a recurrent decoder may be told its own likeliest token in
a share of the steps, which may change as training goes on. Validation is always told the right one.
"""

import torch

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.training import ObjectiveSettings
from dragoman.data.batching.batch import Batch
from dragoman.data.tokenizer.special_tokens import PAD
from dragoman.engine.build import TranslationModel
from dragoman.neural.models.recurrent.model import RecurrentTranslator
from dragoman.neural.objectives.cross_entropy import Loss, cross_entropy


class SequenceToSequenceObjective:
    """Say which part of a batch the model reads, and which part it is asked for."""

    def __init__(self, model: TranslationModel, settings: ObjectiveSettings) -> None:
        self.model = model
        self.settings = settings
        self.progress = 0.0
        """How far training is: 0 at the first step, 1 at the last."""

    @property
    def forced(self) -> float:
        """The share of steps that are told the right last token at this point of training."""
        first, last = self.settings.teacher_forcing, self.settings.teacher_forcing_end
        return first if last is None else first + self.progress * (last - first)

    def denominator(self, batch: Batch) -> int:
        """Return how many tokens a batch asks for in training, by which its loss is divided."""
        settings = self.model.settings
        if isinstance(settings, DecoderOnlySettings) and settings.loss_on == "both":
            return batch.target_count + int((batch.source != PAD).sum())
        return batch.target_count

    def targets(self, batch: Batch) -> int:
        """Return how many tokens of a batch count for the speed: those of the target."""
        return batch.target_count

    def loss(self, batch: Batch, device: torch.device) -> Loss:
        """Return the summed loss of a batch; each real token that is asked for counts once."""
        source = torch.from_numpy(batch.source).to(device)
        target = torch.from_numpy(batch.target).to(device)
        training = self.model.training
        if training and self.forced < 1.0 and isinstance(self.model, RecurrentTranslator):
            states, labels = self.model.scored(source, target, self.forced)
        else:
            states, labels = self.model.scored(source, target)
        return cross_entropy(
            states,
            self.model.output.weight,
            labels,
            padding=PAD,
            smoothing=self.settings.label_smoothing if training else 0.0,
            bias=self.model.output.bias,
        )
