"""Generation requests to a language model, and what comes of them token by token."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch

from dragoman.config.sampling import SamplingSettings
from dragoman.neural.decoding.sampling import NOTHING
from dragoman.tasks.language_model.language_model import IncrementalDecoder

Ending = Literal["stop", "length"]
"""Why a text ended: by itself or at a stop string; or because it may be no longer."""

Likely = tuple[int, float]
"""A token and its log-probability."""

NEXT_CHOICE = 0x9E3779B97F4A7C15
"""What the seeds of two choices differ by: any odd number that is not small."""


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """What is asked for; the text follows from it alone, whatever else is being written."""

    tokens: tuple[int, ...]
    """What the text goes on from: at least the mark that begins every text."""

    settings: SamplingSettings
    seed: int = 0
    stop: tuple[str, ...] = ()
    """Strings that end the text and are left out."""

    alternatives: int = 0
    """How many of the likeliest tokens are told at each step."""

    choices: int = 1
    """Texts that are written, each with chances of its own."""

    told: bool = False
    """Whether the prompt's own log-probabilities are told."""


@dataclass(frozen=True, slots=True)
class PromptToken:
    """A token of a prompt."""

    token: int
    log_probability: float
    alternatives: tuple[Likely, ...]


@dataclass(frozen=True, slots=True)
class GeneratedToken:
    """What one step brought for one text."""

    row: int
    """Whose it is."""

    token: int | None
    """What came, or None where it was no text but the end."""

    text: str
    """The characters that are certain now."""

    log_probability: float
    """Of what came, as the network has it, whatever the settings make of that; nats."""

    alternatives: tuple[Likely, ...]
    """The likeliest tokens, likeliest first."""

    ended: Ending | None

    said: tuple[PromptToken, ...] = ()
    """Of the first piece: the prompt but for its first token, where that is to be told."""


class GenerationRow:
    """One text while it is being written."""

    def __init__(
        self, number: int, wish: GenerationRequest, choice: int, room: int, told: IncrementalDecoder
    ) -> None:
        self.number, self.wish, self.room, self.told = number, wish, room, told
        self.tokens = [*wish.tokens]
        """All that is to be read, the last of them in the next step."""
        self.shortest = min(room, wish.settings.min_tokens)
        self.said: tuple[PromptToken, ...] = ()
        """What is told of the prompt with the first piece."""
        self.left = False
        """Whether nobody wants it any more."""
        self._chances = torch.Generator().manual_seed(_seed(wish.seed, choice))

    @property
    def drawn(self) -> int:
        """How many tokens have been written."""
        return len(self.tokens) - len(self.wish.tokens)

    @property
    def needs(self) -> int:
        """Tokens that it may come to."""
        return len(self.wish.tokens) + self.room

    @property
    def way(self) -> tuple[float, int, float, float, bool]:
        """How the next token is chosen: rows that agree in this are filtered together."""
        how = self.wish.settings
        early = self.drawn < self.shortest
        return how.temperature, how.top_k, how.top_p, how.repetition_penalty, early

    def chance(self) -> float:
        """Return the next random number, from 0 to 1."""
        return float(torch.rand(1, dtype=torch.float64, generator=self._chances))

    def take(self, token: int, ends: frozenset[int]) -> tuple[str, Ending | None]:
        """Add a token; return the characters that are certain now, and whether it was the last."""
        self.tokens.append(token)
        if token == NOTHING or token in ends:
            return self.told.rest(), "stop"
        text = self.told.take(token)
        if self.told.ended:
            return text, "stop"
        if self.drawn >= self.room:
            return text + self.told.rest(), "length"
        return text, None


def rows_of(
    wish: GenerationRequest, first: int, room: int, tellings: Sequence[IncrementalDecoder]
) -> list[GenerationRow]:
    """Return a row for each choice, numbered from the first on."""
    return [GenerationRow(first + n, wish, n, room, told) for n, told in enumerate(tellings)]


def _seed(seed: int, choice: int) -> int:
    """Return the seed of a choice; the first has that of the wish."""
    return (seed + choice * NEXT_CHOICE) % (1 << 63)
