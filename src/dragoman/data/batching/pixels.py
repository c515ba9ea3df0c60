"""Pixels as a network reads them: each colour with mean 0 and deviation 1."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from dragoman.core.errors import DataError
from dragoman.data.formats.framing import Fit, Framing, Resampling

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]

MEASURED = 10_000
"""Images that mean and deviation are taken from."""

LEAST_DEVIATION = 1e-3
"""So that images of one colour do not divide by nothing."""


@dataclass(frozen=True)
class Pixels:
    """Pixel statistics of the images that a network was trained on."""

    size: int
    """Height and width."""

    mean: tuple[float, ...]
    """Of each colour, where white is 1."""

    deviation: tuple[float, ...]

    fit: Fit = "crop"
    """What is done to an image that is not square."""

    @property
    def channels(self) -> int:
        """Three colours, or grey alone."""
        return len(self.mean)

    @classmethod
    def of(cls, images: Bytes, fit: Fit = "crop") -> "Pixels":
        """Take mean and deviation from images: n h w c."""
        every = -(-len(images) // MEASURED)
        shown = np.asarray(images[::every], dtype=np.float64) / 255
        deviation = np.maximum(shown.std(axis=(0, 1, 2)), LEAST_DEVIATION)
        mean = shown.mean(axis=(0, 1, 2))
        return cls(images.shape[1], _rounded(mean), _rounded(deviation), fit)

    @property
    def middle(self) -> Bytes:
        """The mean colour as a pixel, which says nothing to the network."""
        return np.rint(255 * np.array(self.mean)).astype(np.uint8)

    def to_json(self) -> str:
        """Return what is stored beside the weights."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str, where: str) -> "Pixels":
        """Read it back."""
        try:
            told = json.loads(text)
            return cls._checked(told)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise DataError(
                f"{where}: what is said of its pixels is damaged ({error}). Train again."
            ) from None

    @classmethod
    def _checked(cls, told: Mapping[str, Any]) -> "Pixels":
        mean, deviation = (tuple(map(float, told[key])) for key in ("mean", "deviation"))
        size = int(told["size"])
        if not (size > 0 and len(mean) == len(deviation) in (1, 3) and min(deviation) > 0):
            raise ValueError("not a size, means and deviations of one or three colours")
        return cls(size, mean, deviation, _fit(told["fit"]))


def _fit(told: Any) -> Fit:
    if told in ("crop", "pad"):
        return "pad" if told == "pad" else "crop"
    sides = tuple(map(int, told["sides"]))
    if (
        len(sides) > 2
        or min(sides, default=1) < 1
        or told["resampling"] not in get_args(Resampling)
    ):
        raise ValueError("not a way to bring pictures to a size")
    return Framing(sides, told["resampling"])


def normalize(images: Bytes, pixels: Pixels) -> Floats:
    """Return images as a network reads them: b h w c -> b c h w.

    In memory the colours of a pixel stay side by side, which torch knows as channels-last.
    """
    scale = (1 / (255 * np.array(pixels.deviation))).astype(np.float32)
    offset = (-np.array(pixels.mean) / np.array(pixels.deviation)).astype(np.float32)
    count, height, width, channels = images.shape
    rows = images.reshape(count, height, width * channels)  # long rows are fast
    read = rows * np.tile(scale, width) + np.tile(offset, width)
    return read.reshape(images.shape).transpose(0, 3, 1, 2)


def as_bytes(images: Floats, pixels: Pixels) -> Bytes:
    """Return what a network wrote as images again: b c h w -> b h w c."""
    shown = images.transpose(0, 2, 3, 1) * np.array(pixels.deviation) + np.array(pixels.mean)
    return np.rint(255 * shown.clip(0, 1)).astype(np.uint8)


def _rounded(values: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(round(float(value), 6) for value in values)
