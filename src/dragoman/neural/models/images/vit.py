"""The vision Transformer (Dosovitskiy et al. 2021): an image as a text of patches.

images ─ patches ─ matrix ─ + positions ─ layers ─ norm ─ token or mean ─ output ─▶ scores

The layers are those that read texts; the norm stands before each part.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from dragoman.config.vision import VitSettings
from dragoman.core.errors import ConfigError
from dragoman.neural.layers.attention import Attention
from dragoman.neural.layers.blocks import EncoderLayer
from dragoman.neural.layers.dropout import Dropout
from dragoman.neural.layers.feed_forward import build_feed_forward
from dragoman.neural.layers.images.initialize import initialize_last
from dragoman.neural.layers.norms import build_norm
from dragoman.neural.layers.positions import LearnedPositions
from dragoman.neural.models.images.network import ImageNetwork

DEVIATION = 0.02
"""Deviation of the first positions and of the token before the patches."""


class Vit(ImageNetwork):
    """Patches that all see each other, layer after layer."""

    settings: VitSettings

    def __init__(self, settings: VitSettings, channels: int, size: int, classes: int) -> None:
        super().__init__(channels, size)
        self.settings = settings
        width, patch = settings.width, settings.patch
        _check(size, patch)
        self.patches = nn.Conv2d(channels, width, patch, stride=patch)
        self.token: nn.Parameter | None = None
        if settings.summary == "token":
            self.token = nn.Parameter(torch.empty(width))
        words = (size // patch) ** 2 + (self.token is not None)
        self.positions = LearnedPositions(width, words)
        self.layers = nn.ModuleList(_layer(settings) for _ in range(settings.layers))
        self.last_norm = build_norm("layer", width)
        self.dropout = Dropout(settings.dropout)
        self.output = nn.Linear(width, classes)
        self._initialize()

    def features(self, images: Float[Tensor, "b c h w"]) -> Float[Tensor, "b f"]:
        """Return the state of the token before the patches, or the mean of theirs."""
        states = self.states(images)
        return states.mean(1) if self.token is None else states[:, 0]

    def states(self, images: Float[Tensor, "b c h w"]) -> Float[Tensor, "b n d"]:
        """Return the last states of all patches, behind that of the token if there is one."""
        x = self.patches(images).flatten(2).mT  # b n d
        if self.token is not None:
            x = torch.cat((self.token.expand(len(x), 1, -1), x), dim=1)
        x = self.dropout(self.positions(x))
        for layer in self.layers:
            x = layer(x, None)
        return self.last_norm(x)

    @torch.no_grad()
    def _initialize(self) -> None:
        for module in self.modules():
            if isinstance(module, nn.Linear | nn.Conv2d):
                nn.init.xavier_uniform_(module.weight)
                if module.bias is not None:
                    module.bias.zero_()
            elif isinstance(module, nn.LayerNorm):
                module.eps = self.settings.norm_epsilon
        self.positions.table.weight.normal_(std=DEVIATION)
        if self.token is not None:
            self.token.normal_(std=DEVIATION)
        initialize_last(self.output)


def _layer(settings: VitSettings) -> EncoderLayer:
    feed_forward = build_feed_forward(
        settings.activation, settings.width, settings.ffn_width, dropout=0.0, biases=True
    )
    attention = Attention(settings.width, settings.heads)
    return EncoderLayer(attention, feed_forward, "pre", settings.dropout)


def _check(size: int, patch: int) -> None:
    if size % patch:
        near = max(1, round(size / patch)) * patch
        raise ConfigError(
            f"model.patch: pictures of {size}×{size} do not split into patches of {patch}×{patch}. "
            f"Use pictures of {near}×{near}, or a patch that divides {size}."
        )
