"""GoogLeNet (Szegedy et al. 2015): nine inception modules, and two heads that help to learn.

images ─ stem ─ 3a 3b ─ pool ─ 4a ─┬─ 4b 4c 4d ─┬─ 4e ─ pool ─ 5a 5b ─ mean ─ output ─▶ scores
                                     └─ head      └─ head

The auxiliary heads speak in training only; what they say is for the objective to weigh.
"""

from jaxtyping import Float
from torch import Tensor, nn

from dragoman.config.vision import GoogLeNetSettings
from dragoman.config.vision_shapes import BASE, BEHIND, WIDTHS
from dragoman.neural.layers.dropout import Dropout
from dragoman.neural.layers.images.geometry import Window, output_size, smallest_size
from dragoman.neural.layers.images.inception import Inception, bent_convolution
from dragoman.neural.layers.images.initialize import initialize_images
from dragoman.neural.layers.images.local_response import LocalResponse
from dragoman.neural.models.images.network import ImageNetwork, check_size

POOL = Window(3, 2, padding=1)
LARGE_STEM = (Window(7, 2, padding=3), POOL, POOL)
AUXILIARY_POOL = Window(5, 3)


class GoogLeNet(ImageNetwork):
    """A stem, nine inception modules in three stages, and up to three heads."""

    settings: GoogLeNetSettings

    def __init__(self, settings: GoogLeNetSettings, channels: int, size: int, classes: int) -> None:
        super().__init__(channels, size)
        self.settings = settings
        shrinking = (*(LARGE_STEM if settings.stem == "large" else ()), POOL)
        needed = (AUXILIARY_POOL,) if settings.auxiliary else ()
        check_size("GoogLeNet", size, smallest_size((*shrinking, *needed)))
        self.stem, before = _stem(settings, channels)
        self.stages, self.auxiliary = nn.ModuleDict(), nn.ModuleList()
        for name, widths in WIDTHS.items():
            module = Inception(
                before,
                widths.times(settings.width, BASE),
                bottleneck=settings.bottleneck,
                batch_norm=settings.batch_norm,
            )
            before = module.channels
            self.stages[name] = module
            if settings.auxiliary and name in BEHIND:
                places = AUXILIARY_POOL.output(output_size(shrinking, size)) ** 2
                self.auxiliary.append(AuxiliaryHead(settings, before, places, classes))
        self.pool = nn.MaxPool2d(POOL.kernel, POOL.stride, POOL.padding)
        self.dropout = Dropout(settings.dropout)
        self.output = nn.Linear(before, classes)
        outputs = (head.output for head in self.modules() if isinstance(head, AuxiliaryHead))
        initialize_images(self, self.output, *outputs)

    def features(self, images: Float[Tensor, "b c h w"]) -> Float[Tensor, "b f"]:
        """Return the mean of each of the last maps."""
        return self._look(images)[0]

    def heads(self, images: Float[Tensor, "b c h w"]) -> tuple[Float[Tensor, "b k"], ...]:
        """Return the scores of the last head and, while training, of the auxiliary ones."""
        features, between = self._look(images)
        if not self.training:
            return (self.output(features),)
        pairs = zip(self.auxiliary, between, strict=True)
        return self.output(features), *(head(maps) for head, maps in pairs)

    def _look(
        self, images: Float[Tensor, "b c h w"]
    ) -> tuple[Float[Tensor, "b f"], list[Float[Tensor, "b _ _ _"]]]:
        """Return the features, and the maps that the auxiliary heads read."""
        x, between = self.stem(images), []
        for name, module in self.stages.items():
            if name in ("4a", "5a"):
                x = self.pool(x)
            x = module(x)
            if self.auxiliary and name in BEHIND:
                between.append(x)
        return self.dropout(x.mean(dim=(2, 3))), between


class AuxiliaryHead(nn.Module):
    """Guess the class from maps in the middle of the network."""

    def __init__(self, settings: GoogLeNetSettings, before: int, places: int, classes: int) -> None:
        super().__init__()
        narrow, hidden = 2 * settings.width, 16 * settings.width
        self.body = nn.Sequential(
            nn.AvgPool2d(AUXILIARY_POOL.kernel, AUXILIARY_POOL.stride),
            bent_convolution(before, narrow, 1, batch_norm=settings.batch_norm),
            nn.Flatten(),
            nn.Linear(narrow * places, hidden),
            nn.ReLU(),
            Dropout(settings.auxiliary_dropout),
        )
        self.output = nn.Linear(hidden, classes)

    def forward(self, maps: Float[Tensor, "b c h w"]) -> Float[Tensor, "b k"]:
        """Return scores of the classes of each image."""
        return self.output(self.body(maps))


def _stem(settings: GoogLeNetSettings, channels: int) -> tuple[nn.Sequential, int]:
    """Return what stands before the first module, and how many maps it makes."""
    width, norm = settings.width, settings.batch_norm
    if settings.stem == "small":
        return bent_convolution(channels, 3 * width, 3, batch_norm=norm), 3 * width
    stem = nn.Sequential(
        bent_convolution(channels, width, 7, stride=2, batch_norm=norm),
        nn.MaxPool2d(POOL.kernel, POOL.stride, POOL.padding),
        LocalResponse(),
        bent_convolution(width, width, 1, batch_norm=norm),
        bent_convolution(width, 3 * width, 3, batch_norm=norm),
        LocalResponse(),
        nn.MaxPool2d(POOL.kernel, POOL.stride, POOL.padding),
    )
    return stem, 3 * width
