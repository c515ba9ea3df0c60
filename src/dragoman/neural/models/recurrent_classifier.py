"""A recurrent network that gives a class to a text, or to each of its tokens.

tokens ─ embed ─ recurrent layers, one way or both ─┬─ last states, mean or max ─ output ─▶ scores
                                                    └─ each state ─────────────── output ─▶ scores
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from dragoman.config.recurrent_text import RecurrentClassifierSettings
from dragoman.neural.layers.dropout import Dropout
from dragoman.neural.layers.recurrent.stack import RecurrentStack
from dragoman.neural.layers.recurrent.state import RecurrentState


class RecurrentClassifier(nn.Module):
    """From token numbers to scores of classes; padding comes last in a row."""

    def __init__(
        self,
        settings: RecurrentClassifierSettings,
        vocab_size: int,
        classes: int,
        *,
        padding: int = 0,
    ) -> None:
        super().__init__()
        self.settings = settings
        self.padding = padding
        self.embedding = nn.Embedding(vocab_size, settings.embedding_width)
        self.dropout = Dropout(settings.dropout)
        self.layers = RecurrentStack(
            settings.cell,
            settings.embedding_width,
            settings.width,
            settings.layers,
            bidirectional=settings.bidirectional,
            residual=settings.residual,
            dropout=settings.dropout,
        )
        self.output = nn.Linear(self.layers.output_width, classes)
        nn.init.normal_(self.embedding.weight, std=settings.embedding_width**-0.5)
        nn.init.xavier_uniform_(self.output.weight)
        nn.init.zeros_(self.output.bias)

    def forward(self, tokens: Int[Tensor, "b n"]) -> Float[Tensor, "b c"] | Float[Tensor, "b n c"]:
        """Return scores of the classes of each text, or of each token."""
        real = tokens.ne(self.padding)  # b n
        words = self.dropout(self.embedding(tokens))
        outputs, last = self.layers(words, real.sum(1))
        judged = outputs if self.settings.each else self._pooled(outputs, last, real)
        return self.output(self.dropout(judged))

    def _pooled(
        self, outputs: Float[Tensor, "b n o"], last: RecurrentState, real: Bool[Tensor, "b n"]
    ) -> Float[Tensor, "b o"]:
        match self.settings.pooling:
            case "last":  # each direction's own last state, of the last layer
                return torch.cat(last.hidden[-self.layers.directions :].unbind(), dim=1)
            case "mean":  # outputs are zero at padding
                return outputs.sum(1) / real.sum(1, keepdim=True).clamp(min=1)
            case "max":
                return outputs.masked_fill(~real.unsqueeze(2), -torch.inf).amax(1)
            case "first":  # a text begins with START, and its first word comes after that
                return outputs[:, 1]
