"""All kinds of positions of the product, each as a layer that attends."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.stack import Positions
from dragoman.lab.sampling import random_layer
from dragoman.neural.layers.attention import Attention
from dragoman.neural.layers.blocks import EncoderLayer
from dragoman.neural.layers.watchable import watching
from dragoman.neural.models.decoder_only import DecoderOnly
from dragoman.neural.models.stack import Parts, build_positions

ABSOLUTE: tuple[Positions, ...] = (
    "sinusoidal",
    "sinusoidal-halves",
    "sinusoidal-from-one",
    "learned",
)
"""Added to the embeddings."""
RELATIVE: tuple[Positions, ...] = ("rotary", "alibi", "relative", "t5", "shaw")
"""Known to attention by the distance alone."""
WORDS = 12
"""Size of the vocabulary of whole networks."""


def network_settings(
    kind: Positions, width: int = 16, max_positions: int = 256, layers: int = 2
) -> DecoderOnlySettings:
    """Return the settings of a small network with one kind of positions."""
    return DecoderOnlySettings(
        width=width,
        heads=2,
        ffn_width=2 * width,
        layers=layers,
        positions=kind,
        max_positions=max_positions,
        dropout=0.0,
    )


def random_network(settings: DecoderOnlySettings, seed: int) -> DecoderOnly:
    """Return a decoder-only network with random weights."""
    return random_layer(lambda: DecoderOnly(settings, WORDS, WORDS, prompt_end=1), seed)


@dataclass(frozen=True)
class PositionedLayer:
    """An encoder layer, and what is added to the embeddings before it."""

    positions: nn.Module
    layer: EncoderLayer

    @property
    def attention(self) -> Attention:
        """The attention of the layer."""
        return self.layer.attention

    @torch.no_grad()
    def __call__(self, x: Tensor) -> Tensor:
        """Read a sequence [n, d] as an encoder layer does."""
        read: Tensor = self.layer(self.positions(x[None]), None)
        return read[0]

    @torch.no_grad()
    def attend(self, x: Tensor, first: int = 0) -> tuple[Tensor, Tensor]:
        """Attend within a sequence that begins at a place; return outputs and weights [h, n, n]."""
        places = torch.arange(first, first + len(x))[None]
        placed = self.positions(x[None], places)
        seen: list[Tensor] = []
        with watching(self.attention, seen.append):
            mixed = self.attention.attend_to(
                placed,
                self.attention.project_keys_values(placed, places),
                places=places,
                key_places=places,
            )
        return mixed[0], seen[0][0]


def positioned(kind: Positions, width: int, seed: int) -> PositionedLayer:
    """Return a layer with one kind of positions and random weights."""
    settings = network_settings(kind, width)
    parts = Parts(settings, settings.heads, settings.ffn_width, causal=False)
    return PositionedLayer(
        random_layer(lambda: build_positions(settings), seed + 1),
        random_layer(parts.encoder_layer, seed),
    )
