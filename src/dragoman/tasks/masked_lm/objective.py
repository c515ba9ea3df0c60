"""Masked language modelling: masked words are predicted from both sides (BERT, RoBERTa).

Only the states of what is asked for, about one in seven, are made ready for words and compared with
the whole vocabulary; all others are only there to be looked at.

Where rows are pairs, the network also predicts whether the second segment follows the first. What
training makes small is then the mean over the masked words plus the mean over the pairs (Devlin et
al. 2019, appendix A.2). The loop divides what it is given by the number of words that were asked
for, so the mean over the pairs is multiplied by this number beforehand. Reports tell the part of
the words alone: its exponential is a perplexity, with pairs or without.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from dragoman.config.training import ObjectiveSettings
from dragoman.data.batching.text_batch import TextBatch
from dragoman.neural.models.encoder import Encoder
from dragoman.neural.objectives.cross_entropy import Loss, cross_entropy

TOGETHER = 512
"""Hidden words that are compared with the whole vocabulary at once while judging."""


@dataclass(frozen=True)
class MaskedResult:
    """The result of predicting some masked words; sums, which can be added up."""

    nats: float = 0.0
    """Cross entropy of the masked words."""
    asked: int = 0
    right: int = 0
    """Hidden words whose likeliest prediction was right."""
    pairs: int = 0
    pairs_right: int = 0

    def __add__(self, other: "MaskedResult") -> "MaskedResult":
        return MaskedResult(
            self.nats + other.nats,
            self.asked + other.asked,
            self.right + other.right,
            self.pairs + other.pairs,
            self.pairs_right + other.pairs_right,
        )

    @property
    def loss(self) -> float:
        """Nats per masked word."""
        return self.nats / max(1, self.asked)

    @property
    def accuracy(self) -> float:
        """Share of the masked words that were predicted."""
        return self.right / max(1, self.asked)

    @property
    def follows_accuracy(self) -> float | None:
        """Share of the pairs that were judged rightly, where there are any."""
        return self.pairs_right / self.pairs if self.pairs else None


class MaskedObjective:
    """Ask for the words that were masked, and of pairs whether one text follows the other."""

    def __init__(self, model: Encoder, settings: ObjectiveSettings) -> None:
        self.model = model
        self.settings = settings
        self.progress = 0.0

    def denominator(self, batch: TextBatch) -> int:
        """Return how many masked words a batch asks for; text without any word has none to mask."""
        return max(1, int(np.count_nonzero(batch.labels != self.model.padding)))

    def targets(self, batch: TextBatch) -> int:
        """Return how many tokens of a batch count for the speed: all that are read."""
        return int(np.count_nonzero(batch.tokens != self.model.padding))

    def loss(self, batch: TextBatch, device: torch.device) -> Loss:
        """Return the summed loss of a batch; each masked word counts once."""
        model = self.model
        states = self._states(batch, device)
        ready, labels = self._masked_states(states, batch)
        words = cross_entropy(
            ready,
            model.output.weight,
            labels,
            padding=model.padding,
            smoothing=self.settings.label_smoothing if model.training else 0.0,
            bias=model.output.bias,
        )
        if batch.follows is None:
            return words
        answers = torch.from_numpy(batch.follows).to(device)
        pairs = F.cross_entropy(model.follows(model.pooled(states)).float(), answers)
        return Loss(words.smoothed + self.denominator(batch) * pairs, words.nats, words.positions)

    def predict(self, batch: TextBatch, device: torch.device) -> tuple[Tensor, MaskedResult]:
        """Return the likeliest words for what is masked, row by row, and how right they are."""
        model = self.model
        with torch.inference_mode():
            states = self._states(batch, device)
            ready, labels = self._masked_states(states, batch)
            nats, words = 0.0, []
            for part, right in zip(
                ready[0].split(TOGETHER), labels[0].split(TOGETHER), strict=True
            ):
                scores = model.output(part).float()  # n v
                nats += F.cross_entropy(scores, right, reduction="sum").item()
                words.append(scores.argmax(dim=-1))
            best = torch.cat(words)
            pairs = pairs_right = 0
            if batch.follows is not None:
                answers = torch.from_numpy(batch.follows).to(device)
                said = model.follows(model.pooled(states)).argmax(dim=-1)
                pairs, pairs_right = len(answers), int(said.eq(answers).sum())
        right = int(best.eq(labels[0]).sum())
        return best, MaskedResult(nats, len(best), right, pairs, pairs_right)

    def _states(self, batch: TextBatch, device: torch.device) -> Tensor:
        """Read a batch; where a row holds several documents, each is read as if it stood alone."""
        tokens = torch.from_numpy(batch.tokens).to(device)
        several = batch.documents.max(initial=0) > 1
        documents = torch.from_numpy(batch.documents).to(device) if several else None
        segments = None if batch.follows is None else torch.from_numpy(batch.segments).to(device)
        return self.model.states(tokens, None, segments, documents)

    def _masked_states(self, states: Tensor, batch: TextBatch) -> tuple[Tensor, Tensor]:
        """Return the states of what is asked for, ready for words, and the right words: 1 n …"""
        labels = torch.from_numpy(batch.labels).to(states.device)
        asked = labels.ne(self.model.padding)
        return self.model.word_states(states[asked].unsqueeze(0)), labels[asked].unsqueeze(0)
