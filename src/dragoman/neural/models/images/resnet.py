"""Residual networks (He et al. 2016), and plain ones of the same shape to compare them with.

images ─ stem ─ stages of blocks ─ mean over each map ─ output ─▶ scores

basic       x ─┬─ 3×3 ─ norm ─ ReLU ─ 3×3 ─ norm ─ + ─ ReLU ─▶
               └───────────── shortcut ────────────┘
bottleneck  x ─┬─ 1×1 ─ norm ─ ReLU ─ 3×3 ─ norm ─ ReLU ─ 1×1 ─ norm ─ + ─ ReLU ─▶
               └─────────────────────── shortcut ──────────────────────┘

From the second stage on, the first block of a stage halves the image and doubles the channels,
a bottleneck in its 3×3 convolution (in the paper it was the first 1×1, which throws away three
quarters of what it is given). The shortcut then takes every second place and either adds channels
of zeros (option A of the paper) or projects by a 1×1 convolution (option B). A plain network is
the same without shortcuts.
"""

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from dragoman.config.vision import ResNetForm, ResNetSettings
from dragoman.neural.layers.dropout import Dropout
from dragoman.neural.layers.images.initialize import initialize_images
from dragoman.neural.models.images.network import ImageNetwork, check_size

OUTSIDE = 4
"""How many times wider a bottleneck is outside than inside."""


class ResNet(ImageNetwork):
    """A stem, stages of blocks, and a linear layer that reads the mean of each map."""

    settings: ResNetSettings

    def __init__(self, settings: ResNetSettings, channels: int, size: int, classes: int) -> None:
        super().__init__(channels, size)
        self.settings = settings
        form = settings.form
        check_size("residual network", size, 2 if form.stem == "pooled" else 1)
        self.stem = _stem(form, channels)
        self.stages = nn.ModuleList()
        before = form.width
        for number, blocks in enumerate(form.stages):
            stage = nn.Sequential()
            for place in range(blocks):
                stride = 2 if number and not place else 1
                block = ResidualBlock(form, before, form.width << number, stride, settings.residual)
                before = block.channels
                stage.append(block)
            self.stages.append(stage)
        self.dropout = Dropout(settings.dropout)
        self.output = nn.Linear(before, classes)
        initialize_images(self, self.output)
        if settings.zero_init_residual:
            for block in blocks_of(self):
                nn.init.zeros_(block.last_norm.weight)

    def features(self, images: Float[Tensor, "b c h w"]) -> Float[Tensor, "b f"]:
        """Return the mean of each of the last maps."""
        return self.dropout(self.maps(images).mean(dim=(2, 3)))

    def maps(self, images: Float[Tensor, "b c h w"]) -> Float[Tensor, "b f m n"]:
        """Return what the last block makes of each place of the images."""
        x = self.stem(images)
        for stage in self.stages:
            x = stage(x)
        return x


class ResidualBlock(nn.Module):
    """A few convolutions with their norms, and the way around them."""

    def __init__(
        self, form: ResNetForm, before: int, inside: int, stride: int, residual: bool
    ) -> None:
        super().__init__()
        if form.block == "bottleneck":
            self.channels = OUTSIDE * inside
            self.branch = nn.Sequential(
                *_convolution(before, inside, 1),
                nn.ReLU(inplace=True),
                *_convolution(inside, inside, 3, stride),
                nn.ReLU(inplace=True),
                *_convolution(inside, self.channels, 1),
            )
        else:
            self.channels = inside
            self.branch = nn.Sequential(
                *_convolution(before, inside, 3, stride),
                nn.ReLU(inplace=True),
                *_convolution(inside, inside, 3),
            )
        self.shortcut: nn.Module | None = None
        if residual:
            self.shortcut = _shortcut(form, before, self.channels, stride)

    @property
    def last_norm(self) -> nn.BatchNorm2d:
        """Return the norm that ends the branch; with gain 0 the block is the identity."""
        norm = self.branch[-1]
        if not isinstance(norm, nn.BatchNorm2d):
            raise TypeError(f"a branch ends with a norm, not with {norm}")
        return norm

    def forward(self, x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b d m n"]:
        """Add what the branch makes of x to x."""
        changed = self.branch(x)
        if self.shortcut is not None:
            changed += self.shortcut(x)
        return F.relu(changed, inplace=True)


class PaddedShortcut(nn.Module):
    """Every second place, with channels of zeros behind the old ones; nothing is learned."""

    def __init__(self, more: int, stride: int) -> None:
        super().__init__()
        self.more = more
        self.stride = stride

    def forward(self, x: Float[Tensor, "b c h w"]) -> Float[Tensor, "b d m n"]:
        """Return x as large as what the branch makes of it."""
        return F.pad(x[:, :, :: self.stride, :: self.stride], (0, 0, 0, 0, 0, self.more))


def blocks_of(part: nn.Module) -> list[ResidualBlock]:
    """Return the blocks of a network or of a stage in their order."""
    return [block for block in part.modules() if isinstance(block, ResidualBlock)]


def _stem(form: ResNetForm, channels: int) -> nn.Sequential:
    """Return what stands before the first stage.

    The small stem pools before the norm, which then has a quarter of the work.
    """
    match form.stem:
        case "large":
            return nn.Sequential(
                *_convolution(channels, form.width, 7, 2),
                nn.ReLU(inplace=True),
                nn.MaxPool2d(3, stride=2, padding=1),
            )
        case "pooled":
            convolution, norm = _convolution(channels, form.width, 3)
            return nn.Sequential(convolution, nn.MaxPool2d(2), norm, nn.ReLU(inplace=True))
        case "small":
            return nn.Sequential(*_convolution(channels, form.width, 3), nn.ReLU(inplace=True))


def _convolution(
    before: int, after: int, kernel: int, stride: int = 1
) -> tuple[nn.Conv2d, nn.BatchNorm2d]:
    """Return a convolution and its norm, whose bias serves for both."""
    convolution = nn.Conv2d(before, after, kernel, stride, padding=kernel // 2, bias=False)
    return convolution, nn.BatchNorm2d(after)


def _shortcut(form: ResNetForm, before: int, after: int, stride: int) -> nn.Module:
    if stride == 1 and before == after:
        return nn.Identity()
    if form.shortcut == "padding":
        return PaddedShortcut(after - before, stride)
    return nn.Sequential(*_convolution(before, after, 1, stride))
