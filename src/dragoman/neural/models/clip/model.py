"""CLIP (Radford et al. 2021): images and texts become vectors in one space.

image ─ image tower ─ length 1 ─┐
                                ├─ · ─ × scale ─▶ how well they match
text ─── text tower ─ length 1 ─┘

The scale is learned as its logarithm and begins at 1 / temperature. While training it is held below
a bound, so that likenesses, which lie between -1 and 1, are never told apart too sharply.
"""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from dragoman.config.clip import ClipSettings, PatchTowerSettings
from dragoman.config.vision import ResNetSettings, VitSettings
from dragoman.neural.models.clip.patches import PatchTower
from dragoman.neural.models.clip.text import TextTower
from dragoman.neural.models.images.network import ImageNetwork
from dragoman.neural.models.images.resnet import ResNet
from dragoman.neural.models.images.vit import Vit


class Clip(nn.Module):
    """Two towers and the scale that their likeness is multiplied by."""

    def __init__(
        self, settings: ClipSettings, channels: int, size: int, vocab_size: int, *, end: int
    ) -> None:
        super().__init__()
        self.settings = settings
        self.image = _image_tower(settings, channels, size)
        self.text = TextTower(settings.text, vocab_size, settings.width, end)
        self.log_scale = nn.Parameter(torch.empty(()))
        nn.init.constant_(self.log_scale, -math.log(settings.temperature))

    def forward(
        self, images: Float[Tensor, "b c h w"], tokens: Int[Tensor, "m n"]
    ) -> Float[Tensor, "b m"]:
        """Return how well each image matches each text."""
        return self.scale * self.see(images) @ self.read(tokens).T

    def see(self, images: Float[Tensor, "b c h w"]) -> Float[Tensor, "b v"]:
        """Return the vector of each image, of length 1."""
        return F.normalize(self.image(images).float(), dim=-1)

    def read(self, tokens: Int[Tensor, "b n"]) -> Float[Tensor, "b v"]:
        """Return the vector of each text, of length 1."""
        return F.normalize(self.text(tokens).float(), dim=-1)

    @property
    def scale(self) -> Float[Tensor, ""]:
        """The logit scale, by which similarities are multiplied."""
        return self.log_scale.exp()

    @torch.no_grad()
    def hold_scale(self) -> None:
        """Bring the scale back below its bound, where the last step has led beyond."""
        self.log_scale.clamp_(max=math.log(self.settings.max_logit_scale))


def _image_tower(settings: ClipSettings, channels: int, size: int) -> ImageNetwork | PatchTower:
    """Return the network that looks at images; its last layer gives a vector, not classes."""
    match settings.image:
        case ResNetSettings():
            return ResNet(settings.image, channels, size, settings.width)
        case VitSettings():
            return Vit(settings.image, channels, size, settings.width)
        case PatchTowerSettings():
            return PatchTower(settings.image, channels, size, settings.width)
