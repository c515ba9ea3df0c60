"""The interface of all image networks.

images ─ features ─ output ─▶ scores of the classes

Shapes: b images, c channels, h height, w width; f features, k classes. The pixels come normed,
each channel with mean 0 and deviation 1.
"""

from abc import ABC, abstractmethod

from jaxtyping import Float
from torch import Tensor, nn

from dragoman.config.vision import (
    AlexNetSettings,
    CnnSettings,
    GoogLeNetSettings,
    ResNetSettings,
    VggSettings,
    VitSettings,
)
from dragoman.core.errors import ConfigError

AnyImageSettings = (
    CnnSettings | AlexNetSettings | VggSettings | GoogLeNetSettings | ResNetSettings | VitSettings
)


class ImageNetwork(nn.Module, ABC):
    """From images to features, and from these to scores of the classes."""

    settings: AnyImageSettings
    channels: int
    size: int
    """Height and width of the images it was made for."""
    output: nn.Linear
    """From features to scores."""

    def __init__(self, channels: int, size: int) -> None:
        super().__init__()
        self.channels = channels
        self.size = size

    @property
    def classes(self) -> int:
        """Say how many classes there are."""
        return self.output.out_features

    @property
    def feature_width(self) -> int:
        """Say how many features an image has."""
        return self.output.in_features

    @abstractmethod
    def features(self, images: Float[Tensor, "b c h w"]) -> Float[Tensor, "b f"]:
        """Return what the last layer reads of each image."""

    def forward(self, images: Float[Tensor, "b c h w"]) -> Float[Tensor, "b k"]:
        """Return scores of the classes of each image."""
        return self.output(self.features(images))

    def heads(self, images: Float[Tensor, "b c h w"]) -> tuple[Float[Tensor, "b k"], ...]:
        """Return the scores of the last head and, while training, of auxiliary ones."""
        return (self(images),)


def check_size(name: str, size: int, smallest: int) -> None:
    """Refuse images of which nothing would be left before the head."""
    if size < smallest:
        raise ConfigError(
            f"model: nothing is left of pictures of {size}×{size} in this {name}. "
            f"Use pictures of at least {smallest}×{smallest}."
        )
