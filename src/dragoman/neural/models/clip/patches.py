"""The vision Transformer of CLIP (Radford et al. 2021), so that its checkpoints can be read.

pixels ─ patches, a token before them ─ positions ─ norm ─ layers ─ token's state ─ norm ─ output

It differs from the other one in the norm before the layers, and in that patches have no bias.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from dragoman.config.clip import PatchTowerSettings
from dragoman.core.errors import ConfigError
from dragoman.neural.layers.attention import Attention
from dragoman.neural.layers.blocks import EncoderLayer
from dragoman.neural.layers.feed_forward import build_feed_forward
from dragoman.neural.layers.norms import build_norm
from dragoman.neural.models.stack import set_epsilon

DEVIATION = 0.02


class PatchTower(nn.Module):
    """From patches of an image to one vector."""

    def __init__(self, settings: PatchTowerSettings, channels: int, size: int, width: int) -> None:
        super().__init__()
        if size % settings.patch:
            raise ConfigError(
                f"model.image.patch = {settings.patch} does not divide images of {size}×{size}. "
                f"Use images of {max(1, round(size / settings.patch)) * settings.patch}."
            )
        self.settings = settings
        inside, count = settings.width, (size // settings.patch) ** 2
        self.patches = nn.Conv2d(channels, inside, settings.patch, settings.patch, bias=False)
        self.token = nn.Parameter(torch.empty(inside))
        self.positions = nn.Embedding(count + 1, inside)
        self.first_norm = build_norm("layer", inside)
        self.layers = nn.ModuleList(_layer(settings) for _ in range(settings.layers))
        self.last_norm = build_norm("layer", inside)
        self.output = nn.Linear(inside, width, bias=False)
        set_epsilon(self, settings.norm_epsilon)
        self._initialize()

    def forward(self, images: Float[Tensor, "b c h w"]) -> Float[Tensor, "b v"]:
        """Return the vector of each image, of whatever length."""
        return self.output(self.features(images))

    def features(self, images: Float[Tensor, "b c h w"]) -> Float[Tensor, "b d"]:
        """Return the state of the token that has looked at all patches."""
        patches = self.patches(images).flatten(2).transpose(1, 2)  # b n d
        token = self.token.expand(len(images), 1, -1)
        x = self.first_norm(torch.cat((token, patches), dim=1) + self.positions.weight)
        for layer in self.layers:
            x = layer(x, None)
        return self.last_norm(x[:, 0])

    @torch.no_grad()
    def _initialize(self) -> None:
        """Draw everything with a small deviation; biases are 0 and norms 1."""
        for module in self.modules():
            if isinstance(module, nn.Linear | nn.Conv2d | nn.Embedding):
                module.weight.normal_(std=DEVIATION)
            if isinstance(module, nn.Linear) and module.bias is not None:
                module.bias.zero_()
        self.token.normal_(std=DEVIATION)


def _layer(settings: PatchTowerSettings) -> EncoderLayer:
    return EncoderLayer(
        Attention(settings.width, settings.heads, dropout=settings.attention_dropout),
        build_feed_forward(
            settings.activation, settings.width, settings.ffn_width, dropout=0.0, biases=True
        ),
        "pre",
        settings.dropout,
    )
