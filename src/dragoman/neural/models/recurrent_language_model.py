"""The recurrent language model (Mikolov et al. 2010): each token, and the state, to the next.

tokens ─ embed ─ recurrent layers ─ states ─ output ─▶ scores of the next token
                  ▲ zeros, the state of an earlier segment, or a vector (an image, a topic)
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from dragoman.config.recurrent_text import RecurrentLanguageSettings
from dragoman.core.errors import ConfigError
from dragoman.neural.layers.dropout import Dropout
from dragoman.neural.layers.recurrent.stack import RecurrentStack
from dragoman.neural.layers.recurrent.state import RecurrentState


class RecurrentLanguageModel(nn.Module):
    """From token numbers to scores of the token after each; padding comes last in a row."""

    def __init__(
        self, settings: RecurrentLanguageSettings, vocab_size: int, *, padding: int = 0
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
            residual=settings.residual,
            dropout=settings.dropout,
        )
        self.output = nn.Linear(settings.width, vocab_size)
        nn.init.normal_(self.embedding.weight, std=settings.embedding_width**-0.5)
        nn.init.xavier_uniform_(self.output.weight)
        nn.init.zeros_(self.output.bias)
        if settings.tied:
            self.output.weight = self.embedding.weight
        self.first: nn.Linear | None = None
        if settings.first_width is not None:
            vectors = settings.layers * len(self.layers.begin(0).parts)
            self.first = nn.Linear(settings.first_width, vectors * settings.width)
            nn.init.xavier_uniform_(self.first.weight)
            nn.init.zeros_(self.first.bias)

    def forward(
        self, tokens: Int[Tensor, "b n"], state: RecurrentState | None = None
    ) -> Float[Tensor, "b n v"]:
        """Return scores of the token that follows each position."""
        return self.output(self.states(tokens, state)[0])

    def states(
        self,
        tokens: Int[Tensor, "b n"],
        state: RecurrentState | None = None,
        *,
        truncate: int | None = None,
    ) -> tuple[Float[Tensor, "b n d"], RecurrentState]:
        """Return the last states, from which `output` makes scores, and where to read on from.

        A long text is learned segment by segment: give the next the state of this one, detached.
        """
        lengths = tokens.ne(self.padding).sum(1)
        words = self.dropout(self.embedding(tokens))
        outputs, after = self.layers(words, lengths, state, truncate=truncate)
        return self.dropout(outputs), after

    def read(self, tokens: Int[Tensor, "b n"]) -> Float[Tensor, "b n d"]:
        """Return the last states of texts that begin anew in each row."""
        return self.states(tokens)[0]

    @torch.no_grad()
    def go_on_from(self, prompt: Int[Tensor, "b n"], lengths: Int[Tensor, " b"]) -> RecurrentState:
        """Read plain tokens but for the last of each row, which the first step is to be given."""
        place = torch.arange(prompt.shape[1], device=prompt.device)
        before = prompt.masked_fill(place >= lengths.unsqueeze(1) - 1, self.padding)[:, :-1]
        if before.shape[1] == 0:
            return self.begin(len(prompt))
        return self.states(before)[1]

    @torch.no_grad()
    def read_on(
        self, tokens: Int[Tensor, "b n"], state: RecurrentState
    ) -> tuple[Float[Tensor, "b n d"], RecurrentState]:
        """Read a further portion of each row, as long in all; return also its last states."""
        outputs, after = self.layers(self.dropout(self.embedding(tokens)), None, state)
        return self.dropout(outputs), after

    def begin(self, rows: int) -> RecurrentState:
        """Make ready to write so many texts from nothing."""
        return self.layers.begin(rows)

    def begin_from(self, vectors: Float[Tensor, "b f"]) -> RecurrentState:
        """Make ready to write one text from each vector."""
        if self.first is None:
            raise ConfigError("There is no way in for a vector. Set first_width to its size.")
        count = self.settings.layers
        h = torch.tanh(self.first(vectors)).view(len(vectors), -1, self.settings.width)
        return RecurrentState(tuple(h.transpose(0, 1).split(count)))  # each [layers b d]

    @torch.no_grad()
    def step(
        self, tokens: Int[Tensor, " b"], state: RecurrentState
    ) -> tuple[Float[Tensor, "b v"], RecurrentState]:
        """Take one more token; return log-probabilities of the next and the new state."""
        output, after = self.layers.step(self.dropout(self.embedding(tokens)), state)
        return self.output(self.dropout(output)).log_softmax(dim=-1), after

    def reorder(self, state: RecurrentState, rows: Int[Tensor, " m"]) -> RecurrentState:
        """Select, repeat or drop rows of a state."""
        return state.rows(rows)

    def join(self, states: Sequence[RecurrentState]) -> RecurrentState:
        """Put the rows of states side by side."""
        return RecurrentState.joined(states)
