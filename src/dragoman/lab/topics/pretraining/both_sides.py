"""Claims on networks that read from both sides: why words are masked, and how."""

import math
from collections.abc import Callable

import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional as F

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.encoder import EncoderSettings
from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, below, equal
from dragoman.lab.topics.transformer.networks import drawn, fit
from dragoman.neural.models.decoder_only import DecoderOnly
from dragoman.neural.models.encoder import Encoder
from dragoman.plots.lab import HeatMap, Panel, curve

WIDTH = 32
Read = Callable[[Tensor], Tensor]


class LeakSettings(Settings):
    """Two tiny networks that are asked for the next token of random text."""

    entries: int = Field(default=8, ge=2, le=32)
    """Kinds of token, all equally likely."""
    length: int = Field(default=10, ge=3, le=16)
    """Tokens of a text."""
    steps: int = Field(default=100, ge=1, le=150)
    """Steps of training, each with new texts."""
    seed: int = Field(default=1, ge=0, le=1_000_000)
    """Seed of the texts and the weights."""


class _RandomTexts:
    """Texts of tokens that do not depend on each other, other ones at each call."""

    def __init__(self, settings: LeakSettings, seed: int) -> None:
        self.entries, self.length = settings.entries, settings.length
        self.generator = torch.Generator().manual_seed(seed)

    def __call__(self, rows: int) -> Tensor:
        shape = (rows, self.length)
        return 1 + torch.randint(self.entries, shape, generator=self.generator)


class _NextToken:
    """A network that is asked at each place for the token that follows."""

    def __init__(self, model: nn.Module, embedding: nn.Module, read: Read, score: Read) -> None:
        self.model, self.embedding, self.read, self.score = model, embedding, read, score

    def loss(self, texts: Tensor) -> Tensor:
        """Return the cross entropy of all tokens but the first, in nats a token."""
        scores = self.score(self.read(texts))[:, :-1]
        return F.cross_entropy(scores.flatten(0, 1), texts[:, 1:].flatten())

    def train(self, settings: LeakSettings) -> list[float]:
        """Train on new texts at each step; return the losses."""
        texts = _RandomTexts(settings, settings.seed)
        return fit(self.model, lambda: self.loss(texts(16)), settings.steps, 1e-2)

    def slopes(self, text: Tensor) -> Tensor:
        """Return how strongly each place (a row) depends on each token (a column)."""
        kept: list[Tensor] = []
        hook = self.embedding.register_forward_hook(lambda _, __, out: kept.append(out))
        states = self.read(text)[0]
        hook.remove()
        found = []
        for state in states:
            direction = torch.linspace(-1, 1, state.numel(), dtype=state.dtype)
            (slope,) = torch.autograd.grad(state @ direction, kept[0], retain_graph=True)
            found.append(slope[0].abs().sum(dim=1))
        return torch.stack(found)


def _both_ways(settings: LeakSettings) -> _NextToken:
    chosen = EncoderSettings(
        width=WIDTH, heads=1, layers=1, ffn_width=WIDTH, dropout=0.0, positions="relative"
    )
    model = drawn(lambda: Encoder(chosen, settings.entries + 1), settings.seed)
    return _NextToken(model, model.embedding, model.states, model.words)


def _causal(settings: LeakSettings) -> _NextToken:
    chosen = DecoderOnlySettings(
        width=WIDTH, heads=1, layers=1, ffn_width=WIDTH, dropout=0.0, positions="relative"
    )
    entries = settings.entries + 1
    model = drawn(lambda: DecoderOnly(chosen, entries, entries, prompt_end=0), settings.seed)
    return _NextToken(model, model.embedding, model.read, model.output)


@claim(
    "D30",
    "A network that reads from both sides sees the very word it should predict, so it cannot be "
    "trained to predict the next one: it learns to copy it. That is why some words are masked, "
    "and these are asked for. A causal network cannot copy; on random text it stays at the "
    "entropy.",
    r"\frac{\partial h_i}{\partial x_{i+1}} \ne 0 \mathrm{\ (both\ ways)}, \quad = 0 "
    r"\mathrm{\ (causal)}; \qquad L \to 0 \quad \mathrm{and} \quad L \ge \ln V",
)
def both_sides_leak(settings: LeakSettings) -> Evidence:
    """Train both to guess the next token of texts that nobody can guess, and test on new ones."""
    both, causal = _both_ways(settings), _causal(settings)
    tests = _RandomTexts(settings, settings.seed + 1)
    text = tests(1)
    maps = both.slopes(text), causal.slopes(text)
    copied, guessed = both.train(settings), causal.train(settings)
    new, entropy = tests(256), math.log(settings.entries)
    with torch.no_grad():
        after_copying, after_guessing = both.loss(new).item(), causal.loss(new).item()
    steps = range(1, settings.steps + 1)
    return Evidence(
        stated=[
            above("both ways: least slope by the next token", maps[0].diagonal(1).min(), 1e-9),
            equal("causal: largest slope by a later token", maps[1].triu(diagonal=1).max(), 0.0),
            below("both ways: loss on new text over the entropy", after_copying / entropy, 0.5),
            above("causal: loss on new text over the entropy", after_guessing / entropy, 0.99),
        ],
        numbers={
            "entropy, nats a token": entropy,
            "loss of both ways": after_copying,
            "loss of the causal one": after_guessing,
        },
        plot=[
            Panel(
                "loss on random text, nats a token",
                [
                    curve("both ways: copies", steps, copied),
                    curve("causal", steps, guessed, 1),
                    curve("entropy", [1, settings.steps], [entropy] * 2, 2, dashed=True),
                ],
                "step",
                lowest=0.0,
            ),
            HeatMap("both ways: slopes", maps[0].tolist(), "token", "place"),
            HeatMap("causal: slopes", maps[1].tolist(), "token", "place"),
        ],
    )
