"""A claim on bidirectional networks: why words are masked."""

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
    """Two tiny networks that predict the next token of random text."""

    entries: int = Field(default=8, ge=2, le=32)
    """Size of the vocabulary; all tokens are equally likely."""
    length: int = Field(default=10, ge=3, le=16)
    """Tokens of a text."""
    steps: int = Field(default=100, ge=1, le=150)
    """Steps of training, each with new texts."""
    seed: int = Field(default=1, ge=0, le=1_000_000)
    """Seed of the texts and the weights."""


class _RandomTexts:
    """Texts of independent random tokens, new ones at each call."""

    def __init__(self, settings: LeakSettings, seed: int) -> None:
        self.entries, self.length = settings.entries, settings.length
        self.generator = torch.Generator().manual_seed(seed)

    def __call__(self, rows: int) -> Tensor:
        shape = (rows, self.length)
        return 1 + torch.randint(self.entries, shape, generator=self.generator)


class _NextToken:
    """A network that predicts, at each position, the token that follows."""

    def __init__(self, model: nn.Module, embedding: nn.Module, read: Read, score: Read) -> None:
        self.model, self.embedding, self.read, self.score = model, embedding, read, score

    def loss(self, texts: Tensor) -> Tensor:
        """Return the cross entropy of all tokens but the first, in nats per token."""
        scores = self.score(self.read(texts))[:, :-1]
        return F.cross_entropy(scores.flatten(0, 1), texts[:, 1:].flatten())

    def train(self, settings: LeakSettings) -> list[float]:
        """Train on new texts at each step; return the losses."""
        texts = _RandomTexts(settings, settings.seed)
        return fit(self.model, lambda: self.loss(texts(16)), settings.steps, 1e-2)

    def dependences(self, text: Tensor) -> Tensor:
        """Return how strongly each state (a row) depends on each token (a column)."""
        kept: list[Tensor] = []
        hook = self.embedding.register_forward_hook(lambda _, __, out: kept.append(out))
        states = self.read(text)[0]
        hook.remove()
        found = []
        for state in states:
            direction = torch.linspace(-1, 1, state.numel(), dtype=state.dtype)
            (derivative,) = torch.autograd.grad(state @ direction, kept[0], retain_graph=True)
            found.append(derivative[0].abs().sum(dim=1))
        return torch.stack(found)


def _bidirectional(settings: LeakSettings) -> _NextToken:
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
    "A bidirectional network sees the next word, so training it to predict that word only teaches "
    "it to copy. Instead some words are masked, and the network predicts these. A causal network "
    "cannot copy: on random text its loss stays at the entropy.",
    r"\frac{\partial h_i}{\partial x_{i+1}} \ne 0 \mathrm{\ (bidirectional)}, \quad = 0 "
    r"\mathrm{\ (causal)}; \qquad L \to 0 \quad \mathrm{and} \quad L \ge \ln V",
)
def both_sides_leak(settings: LeakSettings) -> Evidence:
    """Train both to predict the next token of random texts, and test them on new ones."""
    both, causal = _bidirectional(settings), _causal(settings)
    tests = _RandomTexts(settings, settings.seed + 1)
    text = tests(1)
    maps = both.dependences(text), causal.dependences(text)
    copied, guessed = both.train(settings), causal.train(settings)
    new, entropy = tests(256), math.log(settings.entries)
    with torch.no_grad():
        after_copying, after_guessing = both.loss(new).item(), causal.loss(new).item()
    steps = range(1, settings.steps + 1)
    return Evidence(
        stated=[
            above(
                "bidirectional: least dependence on the next token", maps[0].diagonal(1).min(), 1e-9
            ),
            equal(
                "causal: largest dependence on a later token", maps[1].triu(diagonal=1).max(), 0.0
            ),
            below("bidirectional: loss on new text over the entropy", after_copying / entropy, 0.5),
            above("causal: loss on new text over the entropy", after_guessing / entropy, 0.99),
        ],
        numbers={
            "entropy, nats per token": entropy,
            "loss of the bidirectional network": after_copying,
            "loss of the causal network": after_guessing,
        },
        plot=[
            Panel(
                "training loss on random text, nats per token",
                [
                    curve("bidirectional", steps, copied),
                    curve("causal", steps, guessed, 1),
                    curve("entropy", [1, settings.steps], [entropy] * 2, 2, dashed=True),
                ],
                "step",
                lowest=0.0,
            ),
            HeatMap("bidirectional: size of ∂h/∂x", maps[0].tolist(), "token x", "state h"),
            HeatMap("causal: size of ∂h/∂x", maps[1].tolist(), "token x", "state h"),
        ],
    )
