"""Cropping and resizing of an image of any shape to a square.

Networks that are trained here see an image cut or padded in one go. One that was trained
elsewhere is shown images as it was there: first brought to a size, its sides kept in proportion
or not, and then cut out of the middle.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from PIL.Image import Image

WHITE = (255, 255, 255)
Resampling = Literal["nearest", "lanczos", "bilinear", "bicubic", "box", "hamming"]


@dataclass(frozen=True)
class Framing:
    """The steps by which images were brought to a size elsewhere."""

    sides: tuple[int, ...]
    """What the shorter side becomes; or height and width; or nothing, and the size is kept."""

    resampling: Resampling = "bicubic"


Fit = Literal["crop", "pad"] | Framing


def square(image: "Image", size: int, fit: Fit) -> "Image":
    """Return an image as a square, all of it or its middle."""
    from PIL import Image, ImageOps

    if isinstance(fit, Framing):
        return _middle(_resized(image, fit), size)
    if image.size == (size, size):
        return image
    method = Image.Resampling.LANCZOS
    if fit == "crop":
        return ImageOps.fit(image, (size, size), method=method)
    return ImageOps.pad(image, (size, size), method=method, color=WHITE)


def resized(width: int, height: int, framing: Framing) -> tuple[int, int]:
    """Return width and height before the middle is cut out."""
    match framing.sides:
        case (shorter,):
            least = min(width, height)
            return int(shorter * width / least), int(shorter * height / least)
        case (high, wide):
            return wide, high
        case _:
            return width, height


def _resized(image: "Image", framing: Framing) -> "Image":
    from PIL import Image

    sides = resized(*image.size, framing)
    return image.resize(sides, Image.Resampling[framing.resampling.upper()])


def _middle(image: "Image", size: int) -> "Image":
    """Cut out the middle; what is smaller lies on black."""
    left, top = ((side - size) // 2 for side in image.size)
    return image.crop((left, top, left + size, top + size))
