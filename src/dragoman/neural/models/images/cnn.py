"""A plain convolutional network, small enough to look into.

images ─ stages ─ summary ─ hidden layer ─ dropout ─ output ─▶ scores

A stage is, in the order that the settings name,

convolution-first   convolution ─ norm ─ bend ─ (again) ─ pool
between             convolution ─ pool ─ norm ─ bend ─ (convolution ─ norm ─ bend)
pooling-first       pool ─ convolution ─ norm ─ bend ─ (again)

and with a stride instead of pooling its first convolution takes every second place.
"""

from jaxtyping import Float
from torch import Tensor, nn

from dragoman.config.vision import CnnSettings
from dragoman.neural.layers.dropout import Dropout
from dragoman.neural.layers.images.fixed_filters import FixedConvolution, edge_filters
from dragoman.neural.layers.images.initialize import initialize_images
from dragoman.neural.models.images.network import ImageNetwork, check_size


class Cnn(ImageNetwork):
    """Stages of convolutions that halve the image, and a head that reads what is left."""

    settings: CnnSettings

    def __init__(self, settings: CnnSettings, channels: int, size: int, classes: int) -> None:
        super().__init__(channels, size)
        self.settings = settings
        check_size("cnn", size, 1 if settings.pooling == "stride" else 1 << len(settings.channels))
        self.stages = nn.ModuleList()
        before = channels
        for number, width in enumerate(settings.channels):
            self.stages.append(self._stage(before, width, first=number == 0))
            before = width
            size = -(-size // 2) if settings.pooling == "stride" else size // 2
        self.summary = _summary(settings)
        read = before * (size * size if settings.summary == "flat" else 1)
        self.hidden = nn.Sequential()
        if settings.hidden_width:
            self.hidden = nn.Sequential(nn.Linear(read, settings.hidden_width), _bend(settings))
            read = settings.hidden_width
        self.dropout = Dropout(settings.dropout)
        self.output = nn.Linear(read, classes)
        initialize_images(self, self.output, bend=settings.activation)

    def features(self, images: Float[Tensor, "b c h w"]) -> Float[Tensor, "b f"]:
        """Return what the last layer reads of each image."""
        return self.dropout(self.hidden(self.summary(self.maps(images))))

    def maps(self, images: Float[Tensor, "b c h w"]) -> Float[Tensor, "b d m n"]:
        """Return what the last stage finds at each place of the images."""
        x = images
        for stage in self.stages:
            x = stage(x)
        return x

    def _stage(self, before: int, width: int, *, first: bool) -> nn.Sequential:
        settings = self.settings
        stage, pool = nn.Sequential(), _pool(settings)
        if settings.order == "pooling-first":
            stage.append(pool)
        for number in range(settings.convolutions):
            begins = number == 0
            stride = 2 if settings.pooling == "stride" and begins else 1
            stage.append(self._convolution(before, width, stride, first=first and begins))
            if settings.order == "between" and begins:
                stage.append(pool)
            if settings.batch_norm:
                stage.append(nn.BatchNorm2d(width))
            stage.append(_bend(settings))
            before = width
        if settings.order == "convolution-first":
            stage.append(pool)
        return stage

    def _convolution(self, before: int, width: int, stride: int, *, first: bool) -> nn.Module:
        settings, kernel = self.settings, self.settings.kernel_size
        learned = nn.Conv2d(
            before, width, kernel, stride, padding=kernel // 2, bias=not settings.batch_norm
        )
        kind = settings.first_filters if first else settings.further_filters
        if kind == "learned":
            return learned
        if kind == "sobel":
            filters = edge_filters(width, before, kernel).to(learned.weight.device)
            return FixedConvolution(filters, stride)
        drawn = nn.init.kaiming_normal_(learned.weight.detach().clone(), nonlinearity="relu")
        return FixedConvolution(drawn, stride)


def _pool(settings: CnnSettings) -> nn.Module:
    match settings.pooling:
        case "max":
            return nn.MaxPool2d(2)
        case "average":
            return nn.AvgPool2d(2)
        case "stride":
            return nn.Identity()


def _bend(settings: CnnSettings) -> nn.Module:
    match settings.activation:
        case "relu":
            return nn.ReLU()
        case "tanh":
            return nn.Tanh()
        case "sigmoid":
            return nn.Sigmoid()


def _summary(settings: CnnSettings) -> nn.Module:
    match settings.summary:
        case "flat":
            return nn.Flatten()
        case "average":
            return nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten())
        case "max":
            return nn.Sequential(nn.AdaptiveMaxPool2d(1), nn.Flatten())
