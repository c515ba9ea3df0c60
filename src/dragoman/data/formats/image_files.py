"""Reading a picture safely, whatever it is: a square of bytes comes out, or a clear word.

Only formats that Pillow decodes by itself are opened, and none that starts another program. The
size is looked at before anything is decoded. What is turned by its camera is turned upright, of
an animation the first picture counts, what is transparent lies on white, 16 bits become 8.
"""

import io
import struct
import warnings
import zlib
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from dragoman.core.errors import ConfigError, DataError

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("BMP", "GIF", "JPEG", "PNG", "PPM", "TIFF", "WEBP")
ENDINGS = {
    *(".bmp", ".gif", ".jpeg", ".jpg", ".pgm", ".png", ".pnm"),
    *(".ppm", ".tif", ".tiff", ".webp"),
}
MOST_PIXELS = 80_000_000
"""A photograph of a large camera; what is larger, or claims to be, is refused."""

LARGEST_FILE = 256 * 1024 * 1024
WHITE = (255, 255, 255)
Fit = Literal["crop", "pad"]
BROKEN = (OSError, SyntaxError, ValueError, EOFError, struct.error, zlib.error, KeyError)
"""What Pillow raises where a file is damaged, depending on its format."""


def is_image_name(path: Path) -> bool:
    """Say whether a file's name is that of a picture."""
    return path.suffix.lower() in ENDINGS


def read_image(
    path: Path, *, size: int, channels: int, fit: Fit = "crop"
) -> NDArray[np.uint8]:  # h w c
    """Return a picture as a square of pixels, or say what is wrong with it."""
    pillow = _pillow()
    _check_file(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pillow.DecompressionBombWarning)
            with pillow.open(path, formats=FORMATS) as opened:
                _check_size(opened, path)
                opened.draft("RGB", (2 * size, 2 * size))  # lets a JPEG be decoded smaller
                image = _upright(opened)
    except (pillow.DecompressionBombError, pillow.DecompressionBombWarning):
        raise _too_large(path) from None
    except pillow.UnidentifiedImageError:
        known = ", ".join(one.lower() for one in FORMATS)
        raise DataError(f"{path}: is not a picture that can be read. Known: {known}.") from None
    except BROKEN as error:
        raise DataError(
            f"{path}: the picture is damaged ({error}). Use another copy, or remove it."
        ) from None
    plain = _square(_on_white(_in_bytes(image)), size, fit)
    shown = plain if channels == 3 else plain.convert("L")
    return np.asarray(shown, dtype=np.uint8).reshape(size, size, channels)


def read_rows(content: bytes, where: str) -> NDArray[np.uint8]:  # h w c
    """Return a picture with all its pixels, as one that holds data has them."""
    pillow = _pillow()
    try:
        with pillow.open(io.BytesIO(content), formats=("PNG",)) as opened:
            return np.asarray(opened.convert("RGB"), dtype=np.uint8)
    except (pillow.DecompressionBombError, *BROKEN) as error:
        raise DataError(f"{where}: cannot be read ({error}). Fetch it again.") from None


def _pillow() -> ModuleType:
    try:
        from PIL import Image
    except ImportError:
        install = "pip install 'dragoman[vision]'"
        raise ConfigError(f"Pictures need Pillow. Install it: {install}") from None
    return Image


def _check_file(path: Path) -> None:
    try:
        length = path.stat().st_size
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file.") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}).") from None
    if path.is_dir():
        raise DataError(f"{path}: is a folder, not a picture.")
    if length == 0:
        raise DataError(f"{path}: is empty. Remove it, or copy it again.")
    if length > LARGEST_FILE:
        raise DataError(f"{path}: is larger than {LARGEST_FILE >> 20} MiB. Make it smaller first.")


def _check_size(image: "Image", path: Path) -> None:
    if image.width * image.height > MOST_PIXELS:
        raise _too_large(path)


def _too_large(path: Path) -> DataError:
    return DataError(
        f"{path}: has more than {MOST_PIXELS:,} pixels, or claims to. Make it smaller first."
    )


def _upright(image: "Image") -> "Image":
    """Decode the first picture of a file, turned as its camera says."""
    from PIL import ImageOps

    image.seek(0)
    image.load()
    return ImageOps.exif_transpose(image)


def _in_bytes(image: "Image") -> "Image":
    """Bring 16 bits, 32 bits and real numbers to 8 bits."""
    from PIL import Image

    if not image.mode.startswith("I") and image.mode != "F":
        return image
    values = np.nan_to_num(np.asarray(image, dtype=np.float64), posinf=0.0, neginf=0.0)
    highest = float(values.max(initial=0.0))
    whole = 1.0 if highest <= 1 and image.mode == "F" else 255.0 if highest <= 255 else 65535.0
    shown = np.rint(255 * (values / whole).clip(0, 1)).astype(np.uint8)
    return Image.fromarray(shown)


def _on_white(image: "Image") -> "Image":
    """Lay what is transparent on white, and bring all kinds of colour to red, green and blue."""
    from PIL import Image

    if "A" not in image.getbands() and "transparency" not in image.info:
        return image.convert("RGB")
    layer = image.convert("RGBA")
    ground = Image.new("RGBA", layer.size, (*WHITE, 255))
    return Image.alpha_composite(ground, layer).convert("RGB")


def _square(image: "Image", size: int, fit: Fit) -> "Image":
    from PIL import Image, ImageOps

    if image.size == (size, size):
        return image
    method = Image.Resampling.LANCZOS
    if fit == "crop":
        return ImageOps.fit(image, (size, size), method=method)
    return ImageOps.pad(image, (size, size), method=method, color=WHITE)
