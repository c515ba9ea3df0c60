"""VGG (Simonyan & Zisserman 2015): five stages of 3×3 convolutions, each ended by a pooling.

Three 3×3 filters in a row see as much as one of 7×7, bend three times, and have 27 weights where it
has 49. Most weights are not in them, though, but in the first linear layer.
"""

from jaxtyping import Float
from torch import Tensor, nn

from dragoman.config.vision import VggSettings
from dragoman.config.vision_shapes import VGG_STAGES, VGG_WIDER
from dragoman.neural.layers.dropout import Dropout
from dragoman.neural.layers.images.inception import bent_convolution
from dragoman.neural.layers.images.initialize import initialize_images
from dragoman.neural.models.images.network import ImageNetwork, check_size


class Vgg(ImageNetwork):
    """Eight to sixteen convolutions and three linear layers."""

    settings: VggSettings

    def __init__(self, settings: VggSettings, channels: int, size: int, classes: int) -> None:
        super().__init__(channels, size)
        self.settings = settings
        check_size("VGG", size, 1 << len(VGG_WIDER))
        self.body = nn.Sequential()
        before, norm = channels, settings.batch_norm
        for convolutions, wider in zip(VGG_STAGES[settings.depth], VGG_WIDER, strict=True):
            for _ in range(convolutions):
                after = wider * settings.width
                self.body.append(bent_convolution(before, after, 3, batch_norm=norm))
                before = after
            self.body.append(nn.MaxPool2d(2))
        hidden, places = settings.hidden_width, (size >> len(VGG_WIDER)) ** 2
        self.hidden = nn.Sequential(
            nn.Flatten(),
            nn.Linear(before * places, hidden),
            nn.ReLU(),
            Dropout(settings.dropout),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            Dropout(settings.dropout),
        )
        self.output = nn.Linear(hidden, classes)
        initialize_images(self, self.output)

    def features(self, images: Float[Tensor, "b c h w"]) -> Float[Tensor, "b f"]:
        """Return the second hidden layer of each image."""
        return self.hidden(self.body(images))
