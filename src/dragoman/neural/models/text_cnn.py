"""The convolutional classifier of texts (Kim 2014): what matters is found wherever it stands.

                 ┌─ filters of 3 tokens ─ ReLU ─ max over the text ─┐
tokens ─ embed ──┼─ filters of 4 tokens ─ ReLU ─ max over the text ─┼─ dropout ─ output ─▶ scores
                 └─ filters of 5 tokens ─ ReLU ─ max over the text ─┘

Before and after a text there is nothing but zeros, and a filter looks through every window that
holds some token of the text; so a text may be shorter than a filter, and padding is never seen.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from dragoman.config.text_cnn import TextCnnSettings
from dragoman.neural.layers.dropout import Dropout


class TextCnn(nn.Module):
    """From token numbers to scores of classes; padding comes last in a row."""

    def __init__(
        self, settings: TextCnnSettings, vocab_size: int, classes: int, *, padding: int = 0
    ) -> None:
        super().__init__()
        self.settings = settings
        self.padding = padding
        self.embedding = nn.Embedding(vocab_size, settings.embedding_width)
        self.filters = nn.ModuleList(
            nn.Conv1d(settings.embedding_width, settings.filters, width, padding=width - 1)
            for width in settings.kernel_sizes
        )
        self.dropout = Dropout(settings.dropout)
        self.output = nn.Linear(len(settings.kernel_sizes) * settings.filters, classes)
        nn.init.normal_(self.embedding.weight, std=settings.embedding_width**-0.5)
        for filters in (*self.filters, self.output):
            nn.init.xavier_uniform_(filters.weight)
            nn.init.zeros_(filters.bias)

    def forward(self, tokens: Int[Tensor, "b n"]) -> Float[Tensor, "b c"]:
        """Return scores of the classes of each text."""
        real = tokens.ne(self.padding)
        words = self.embedding(tokens) * real.unsqueeze(2)
        found = [self._strongest(filters(words.mT), real) for filters in self.filters]
        return self.output(self.dropout(torch.cat(found, dim=1)))

    def _strongest(
        self, seen: Float[Tensor, "b f m"], real: Bool[Tensor, "b n"]
    ) -> Float[Tensor, "b f"]:
        """Return the strongest answer of each filter among the windows that touch the text."""
        beyond = seen.shape[2] - real.shape[1]  # windows that begin before the text: width - 1
        windows = (real.sum(1, keepdim=True) + beyond).clamp(min=1)
        outside = torch.arange(seen.shape[2], device=seen.device) >= windows  # b m
        return seen.masked_fill(outside.unsqueeze(1), -torch.inf).amax(2).relu()
