"""A tiny network with a head for classes, and a task that it is adapted to."""

from pathlib import Path

import torch
from pydantic import Field
from torch import Tensor
from torch.nn import functional as F

from dragoman.config.encoder import EncoderSettings
from dragoman.config.settings import Settings
from dragoman.config.start import StartSettings
from dragoman.lab.topics.transformer.networks import drawn, fit, scrambled
from dragoman.neural.adapt.adapting import adapt
from dragoman.neural.models.encoder import Encoder

NEW = ("classes_head",)
"""What a pretrained network lacks: it is always trained."""
ENTRIES, LENGTH, CLASSES = 12, 6, 3
NOWHERE = Path()
"""The folder of a run that is not read: the network is there already."""


class TinyAdaptationSettings(Settings):
    """A tiny network, adapted for a few steps."""

    layers: int = Field(default=2, ge=1, le=4)
    """Layers of the network."""
    heads: int = Field(default=2, ge=1, le=4)
    """Attention heads, each four wide."""
    steps: int = Field(default=5, ge=1, le=50)
    """Steps of adaptation."""
    seed: int = Field(default=1, ge=0, le=1_000_000)
    """Seed of the weights and the texts."""

    @property
    def width(self) -> int:
        """Size of a state."""
        return 4 * self.heads


def pretrained(settings: TinyAdaptationSettings) -> Encoder:
    """Return a network with a fresh head for three classes; its weights stand for trained ones."""
    chosen = EncoderSettings(
        width=settings.width, heads=settings.heads, layers=settings.layers,
        ffn_width=2 * settings.width, dropout=0.0, max_positions=LENGTH, pooler=True,
        lm_head="none", classes=CLASSES, biases=False,
    )  # fmt: skip
    return scrambled(drawn(lambda: Encoder(chosen, ENTRIES), settings.seed), settings.seed)


def texts(settings: TinyAdaptationSettings, rows: int = 16) -> tuple[Tensor, Tensor]:
    """Return texts in which every token stands somewhere, and a class for each."""
    generator = torch.Generator().manual_seed(settings.seed)
    tokens = torch.randint(1, ENTRIES, (rows, LENGTH), generator=generator)
    tokens.view(-1)[:ENTRIES] = torch.arange(ENTRIES).clamp(min=1)
    return tokens, torch.randint(CLASSES, (rows,), generator=generator)


def kept_weights(model: Encoder) -> dict[str, Tensor]:
    """Return a copy of every weight, by name."""
    return {name: weight.detach().clone() for name, weight in model.named_parameters()}


def make_ready(model: Encoder, start: StartSettings, settings: TinyAdaptationSettings) -> None:
    """Adapt a network as a run's start says; what is new follows from the seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        adapt(model, start, NEW)
    model.double()


def train_adapted(
    model: Encoder, start: StartSettings, settings: TinyAdaptationSettings
) -> list[float]:
    """Adapt a network as a run's start says, and take a few steps; return the losses."""
    make_ready(model, start, settings)
    tokens, classes = texts(settings)
    return fit(
        model, lambda: F.cross_entropy(model.classify(tokens), classes), settings.steps, 1e-2
    )


def changed(before: dict[str, Tensor], model: Encoder) -> tuple[list[str], int]:
    """Return the names of weights that have other bits now, and how many numbers have."""
    now = dict(model.named_parameters())
    names = [name for name, weight in before.items() if not torch.equal(weight, now[name])]
    return names, sum(int((before[name] != now[name]).sum()) for name in names)
