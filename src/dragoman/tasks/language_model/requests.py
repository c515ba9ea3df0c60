"""Generation requests to a language model, and the tokens that come of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch

from dragoman.config.sampling import SamplingSettings
from dragoman.neural.decoding.sampling import NOTHING
from dragoman.tasks.language_model.language_model import Detokenizer

FinishReason = Literal["stop", "length"]
"""Why a text ended: at its end token or a stop string, or because it may be no longer."""

TokenLogprob = tuple[int, float]
"""A token and its log-probability."""

SEED_STRIDE = 0x9E3779B97F4A7C15
"""What the seeds of two choices differ by: any odd number that is not small."""


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """A prompt and how to continue it; the text follows from it alone, whatever else is running."""

    tokens: tuple[int, ...]
    """The prompt: at least the special token that begins every text."""

    settings: SamplingSettings
    seed: int = 0
    stop: tuple[str, ...] = ()
    """Strings that end the text and are left out."""

    alternatives: int = 0
    """How many of the likeliest tokens are reported at each step."""

    choices: int = 1
    """Texts to generate, each with random numbers of its own."""

    prompt_logprobs: bool = False
    """Whether the log-probabilities of the prompt's own tokens are reported."""


@dataclass(frozen=True, slots=True)
class PromptToken:
    """A token of a prompt."""

    token: int
    log_probability: float
    alternatives: tuple[TokenLogprob, ...]


@dataclass(frozen=True, slots=True)
class GeneratedToken:
    """The output of one step for one text."""

    row: int
    """The row of the text in the batch."""

    token: int | None
    """The token, or None where it was the end of the text."""

    text: str
    """The characters that are certain now."""

    log_probability: float
    """Of the token, by the network, whatever the sampling settings make of that; nats."""

    alternatives: tuple[TokenLogprob, ...]
    """The likeliest tokens, likeliest first."""

    finish_reason: FinishReason | None

    prompt: tuple[PromptToken, ...] = ()
    """With the first token: the prompt but for its first token, where that is to be reported."""


class GenerationRow:
    """One text while it is being generated."""

    def __init__(
        self,
        number: int,
        request: GenerationRequest,
        choice: int,
        room: int,
        detokenizer: Detokenizer,
    ) -> None:
        self.number, self.request, self.room, self.detokenizer = number, request, room, detokenizer
        self.tokens = [*request.tokens]
        """All that is to be read, the last of them in the next step."""
        self.shortest = min(room, request.settings.min_tokens)
        self.prompt: tuple[PromptToken, ...] = ()
        """What is reported of the prompt with the first token."""
        self.removed = False
        self._random = torch.Generator().manual_seed(_seed(request.seed, choice))

    @property
    def generated(self) -> int:
        """How many tokens have been generated."""
        return len(self.tokens) - len(self.request.tokens)

    @property
    def max_tokens(self) -> int:
        """Tokens that it may come to, the prompt included."""
        return len(self.request.tokens) + self.room

    @property
    def sampling_key(self) -> tuple[float, int, float, float, bool]:
        """How the next token is sampled: rows that agree in this are filtered together."""
        how = self.request.settings
        early = self.generated < self.shortest
        return how.temperature, how.top_k, how.top_p, how.repetition_penalty, early

    def random(self) -> float:
        """Return the row's next random number, from 0 to 1."""
        return float(torch.rand(1, dtype=torch.float64, generator=self._random))

    def append(self, token: int, ends: frozenset[int]) -> tuple[str, FinishReason | None]:
        """Append a token; return the characters that are certain now, and why it was the last."""
        self.tokens.append(token)
        if token == NOTHING or token in ends:
            return self.detokenizer.rest(), "stop"
        text = self.detokenizer.take(token)
        if self.detokenizer.ended:
            return text, "stop"
        if self.generated >= self.room:
            return text + self.detokenizer.rest(), "length"
        return text, None


def generation_rows(
    request: GenerationRequest, first: int, room: int, detokenizers: Sequence[Detokenizer]
) -> list[GenerationRow]:
    """Return a row for each choice, numbered from the first on."""
    return [GenerationRow(first + n, request, n, room, own) for n, own in enumerate(detokenizers)]


def _seed(seed: int, choice: int) -> int:
    """Return the seed of a choice; the first has that of the request."""
    return (seed + choice * SEED_STRIDE) % (1 << 63)
