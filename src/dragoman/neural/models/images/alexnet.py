"""AlexNet (Krizhevsky, Sutskever & Hinton 2012), on images of 227×227.

227 ─ 11×11/4 ─ 55 ─ pool ─ 27 ─ 5×5 ─ 27 ─ pool ─ 13 ─ 3×3 ─ 3×3 ─ 3×3 ─ 13 ─ pool ─ 6 ─ head

A ReLU follows every convolution; local response normalization follows the first two, before the
pooling, which overlaps (3×3 windows that move by two). The paper says 224, on which the first
window does not fit evenly. Its two towers, one for each graphics card, are two groups of channels
here, which the second, the fourth and the fifth convolution keep apart.
"""

from jaxtyping import Float
from torch import Tensor, nn

from dragoman.config.vision import AlexNetSettings
from dragoman.neural.layers.dropout import Dropout
from dragoman.neural.layers.images.geometry import Window, output_size, smallest_size
from dragoman.neural.layers.images.initialize import initialize_images
from dragoman.neural.layers.images.local_response import LocalResponse
from dragoman.neural.models.images.network import ImageNetwork, check_size

FIRST, POOL = Window(11, 4), Window(3, 2)
WINDOWS = (FIRST, POOL, POOL, POOL)
"""What changes the size of an image; the other convolutions keep it."""


class AlexNet(ImageNetwork):
    """Five convolutions and three linear layers."""

    settings: AlexNetSettings

    def __init__(self, settings: AlexNetSettings, channels: int, size: int, classes: int) -> None:
        super().__init__(channels, size)
        self.settings = settings
        check_size("AlexNet", size, smallest_size(WINDOWS))
        one, two, three, four, five = settings.channels
        groups, hidden = settings.groups, settings.hidden_width
        self.body = nn.Sequential(
            nn.Conv2d(channels, one, FIRST.kernel, FIRST.stride),
            nn.ReLU(),
            LocalResponse(),
            nn.MaxPool2d(POOL.kernel, POOL.stride),
            nn.Conv2d(one, two, 5, padding=2, groups=groups),
            nn.ReLU(),
            LocalResponse(),
            nn.MaxPool2d(POOL.kernel, POOL.stride),
            nn.Conv2d(two, three, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(three, four, 3, padding=1, groups=groups),
            nn.ReLU(),
            nn.Conv2d(four, five, 3, padding=1, groups=groups),
            nn.ReLU(),
            nn.MaxPool2d(POOL.kernel, POOL.stride),
        )
        places = output_size(WINDOWS, size) ** 2
        self.hidden = nn.Sequential(
            nn.Flatten(),
            Dropout(settings.dropout),
            nn.Linear(five * places, hidden),
            nn.ReLU(),
            Dropout(settings.dropout),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
        )
        self.output = nn.Linear(hidden, classes)
        initialize_images(self, self.output)

    def features(self, images: Float[Tensor, "b c h w"]) -> Float[Tensor, "b f"]:
        """Return the second hidden layer of each image."""
        return self.hidden(self.body(images))
