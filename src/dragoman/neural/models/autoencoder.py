"""Autoencoders: an image goes through a few numbers, and is to come out as it went in.

image ─ layer ─ σ ─ … ─ layer ─▶ code ─ mirrored layer ─ σ ─ … ─ mirrored layer ─▶ image

    linear           one layer each way and no σ (Bourlard and Kamp 1988): what it keeps of an
                     image is what as many principal components keep
    deep             fully connected layers (Hinton and Salakhutdinov 2006)
    convolutional    each convolution halves the image; a matrix leads to the code

Every layer is mirrored by its adjoint, with weights of its own or, tied, with the same ones: Wᵀ for
a matrix W, the transposed convolution for a convolution. No σ follows the code or the last layer,
so that pixels, which come normalized, may be any number.
"""

import math
from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from dragoman.config.autoencoder import AutoencoderSettings
from dragoman.core.errors import ConfigError

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
}
KERNEL, STRIDE, PADDING = 3, 2, 1
"""A convolution of the way down: n pixels become half of n, rounded up."""


class MirroredLinear(nn.Module):
    """The way back through a matrix: z ↦ Wᵀ z + b."""

    def __init__(self, layer: nn.Linear, tied: bool) -> None:
        super().__init__()
        self.weight = layer.weight if tied else nn.Parameter(torch.empty_like(layer.weight))
        self.bias = nn.Parameter(torch.zeros(layer.in_features))

    def forward(self, code: Float[Tensor, "b o"]) -> Float[Tensor, "b i"]:
        """Return what the layer might have read."""
        return F.linear(code, self.weight.T, self.bias)


class MirroredConvolution(nn.Module):
    """The way back through a convolution, to images of the side it was given."""

    def __init__(self, layer: nn.Conv2d, side: int, tied: bool) -> None:
        super().__init__()
        self.weight = layer.weight if tied else nn.Parameter(torch.empty_like(layer.weight))
        self.bias = nn.Parameter(torch.zeros(layer.in_channels))
        reached = STRIDE * (halved(side) - 1) + KERNEL - 2 * PADDING
        self.missing = side - reached  # an even side ends one pixel further

    def forward(self, maps: Float[Tensor, "b o h w"]) -> Float[Tensor, "b i y x"]:
        """Return what the layer might have read."""
        return F.conv_transpose2d(
            maps, self.weight, self.bias, STRIDE, PADDING, output_padding=self.missing
        )


class Autoencoder(nn.Module):
    """From images to codes and back."""

    def __init__(self, settings: AutoencoderSettings, channels: int, size: int) -> None:
        super().__init__()
        self.settings = settings
        self.activation = ACTIVATIONS[settings.activation]
        sides = _sides(settings, size)
        maps = (channels, *settings.widths) if len(sides) > 1 else (channels,)
        convolutions = [
            nn.Conv2d(before, after, KERNEL, STRIDE, PADDING)
            for before, after in zip(maps, maps[1:], strict=False)
        ]
        self.shape = (maps[-1], sides[-1], sides[-1])
        """Of what the fully connected layers are given."""
        inside = settings.widths if settings.form == "deep" else ()
        widths = (math.prod(self.shape), *inside, settings.code)
        layers = [
            nn.Linear(before, after) for before, after in zip(widths, widths[1:], strict=False)
        ]
        self.convolutions = nn.ModuleList(convolutions)
        self.layers = nn.ModuleList(layers)
        self.mirrored_layers = nn.ModuleList(
            MirroredLinear(layer, settings.tied) for layer in reversed(layers)
        )
        self.mirrored_convolutions = nn.ModuleList(
            MirroredConvolution(layer, side, settings.tied)
            for layer, side in zip(reversed(convolutions), sides[-2::-1], strict=True)
        )
        self._draw_weights()

    def forward(self, images: Float[Tensor, "b c h w"]) -> Float[Tensor, "b c h w"]:
        """Return the images as their codes tell them."""
        return self.decode(self.encode(images))

    def encode(self, images: Float[Tensor, "b c h w"]) -> Float[Tensor, "b k"]:
        """Return the codes of images."""
        seen = images
        for convolution in self.convolutions:
            seen = self.activation(convolution(seen))
        return self._through(self.layers, seen.flatten(1))

    def decode(self, codes: Float[Tensor, "b k"]) -> Float[Tensor, "b c h w"]:
        """Return the images that codes stand for."""
        flat = self._through(self.mirrored_layers, codes)
        seen = flat.view(-1, *self.shape)
        for convolution in self.mirrored_convolutions:
            seen = convolution(self.activation(seen))
        return seen

    def _through(self, layers: nn.ModuleList, numbers: Float[Tensor, "b i"]) -> Tensor:
        """Go through layers, with the activation between two of them."""
        for place, layer in enumerate(layers):
            numbers = layer(numbers if place == 0 else self.activation(numbers))
        return numbers

    def _draw_weights(self) -> None:
        """Draw weights by He's rule where a ReLU or GELU follows, else by Glorot's."""
        down = [*self.convolutions, *self.layers]
        up = [*self.mirrored_layers, *self.mirrored_convolutions]
        bent = self.settings.activation in ("relu", "gelu")
        for layer in down:
            nn.init.zeros_(layer.bias)
            if bent and layer is not down[-1]:
                nn.init.kaiming_normal_(layer.weight, mode="fan_in", nonlinearity="relu")
            else:
                nn.init.xavier_uniform_(layer.weight)
        for layer in () if self.settings.tied else up:
            if bent and layer is not up[-1]:  # a mirror reads what its layer writes
                nn.init.kaiming_normal_(layer.weight, mode="fan_out", nonlinearity="relu")
            else:
                nn.init.xavier_uniform_(layer.weight)


def halved(side: int) -> int:
    """Return the side of an image after a convolution."""
    return -(-side // STRIDE)


def _sides(settings: AutoencoderSettings, size: int) -> list[int]:
    """Return the sides of an image before, between and after the convolutions."""
    sides = [size]
    if settings.form != "convolutional":
        return sides
    for _ in settings.widths:
        if sides[-1] == 1:
            raise ConfigError(
                f"model.widths has {len(settings.widths)} convolutions, and images of {size} "
                f"pixels can be halved only {len(sides) - 1} times. Leave some out."
            )
        sides.append(halved(sides[-1]))
    return sides
