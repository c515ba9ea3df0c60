"""Reading an image safely, whatever it is: a square of bytes comes out, or a clear word.

Only formats that Pillow decodes by itself are opened, and none that starts another program. The
size is looked at before anything is decoded. What is turned by its camera is turned upright, of
an animation the first image counts, what is transparent lies on white, 16 bits become 8.
"""

import io
import struct
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import IO, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dragoman.core.bounded_read import read_bounded
from dragoman.core.errors import ConfigError, DataError
from dragoman.data.formats.framing import WHITE, Fit, Framing, resized, square
from dragoman.data.formats.jpeg_scans import has_more_scans

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("BMP", "GIF", "JPEG", "PNG", "PPM", "TIFF", "WEBP")
ENDINGS = {
    *(".bmp", ".gif", ".jpeg", ".jpg", ".pgm", ".png", ".pnm"),
    *(".ppm", ".tif", ".tiff", ".webp"),
}
MOST_PIXELS = 80_000_000
"""A photograph of a large camera; what is larger, or claims to be, is refused."""

LONGEST_SIDE = 65_535
"""What a JPEG or a GIF can have; every line of pixels has its price, however short it is."""

MOST_SCANS = 100
"""Of a progressive JPEG; real ones have about ten. A scan of few bytes goes through all pixels."""

STRIP_PIXELS = 1 << 20
"""Pixels that are converted at a time, so that a large image is not held in several copies."""

LARGEST_FILE = 256 * 1024 * 1024
BROKEN = (
    *(OSError, EOFError, SyntaxError, ValueError, TypeError, LookupError, ArithmeticError),
    *(struct.error, zlib.error),
)
"""What Pillow raises where a file is damaged, depending on its format."""

ONE_AT_A_TIME = Lock()
"""What becomes of warnings is settled for all threads together."""


def is_image_name(path: Path) -> bool:
    """Say whether a file's name is that of an image."""
    return path.suffix.lower() in ENDINGS


def read_image(
    path: Path, *, size: int, channels: int, fit: Fit = "crop"
) -> NDArray[np.uint8]:  # h w c
    """Return an image as a square of pixels, or say what is wrong with it."""
    try:
        content = read_bounded(path, LARGEST_FILE)
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file.") from None
    except OSError as error:
        if path.is_dir():
            raise DataError(f"{path}: is a folder, not a picture.") from None
        raise DataError(f"{path}: cannot be read ({error.strerror}).") from None
    return read_image_bytes(content, str(path), size=size, channels=channels, fit=fit)


def read_image_bytes(
    content: bytes,
    where: str,
    *,
    size: int,
    channels: int,
    fit: Fit = "crop",
    most_pixels: int = MOST_PIXELS,
) -> NDArray[np.uint8]:  # h w c
    """Return an image that came as bytes, under a name that whoever sent it knows."""
    _check_length(len(content), where)
    return _read(io.BytesIO(content), where, size, channels, fit, most_pixels)


def _read(
    file: io.BytesIO, where: str, size: int, channels: int, fit: Fit, most_pixels: int
) -> NDArray[np.uint8]:  # h w c
    pillow = _pillow()
    try:
        with _opened(pillow, file) as opened:
            _check_size(opened, where, fit, most_pixels)
            if not isinstance(fit, Framing):
                opened.draft("RGB", (2 * size, 2 * size))  # lets a JPEG be decoded smaller
            kind = opened.format
            _decode_upright(opened, pillow)
    except (pillow.DecompressionBombError, pillow.DecompressionBombWarning):
        raise _too_large(where, most_pixels) from None
    except pillow.UnidentifiedImageError:
        known = ", ".join(one.lower() for one in FORMATS)
        raise DataError(f"{where}: is not a picture that can be read. Known: {known}.") from None
    except BROKEN as error:
        raise DataError(
            f"{where}: the picture is damaged ({error}). Use another copy, or remove it."
        ) from None
    plain = square(_flattened(opened, kind), size, fit)
    shown = plain if channels == 3 else plain.convert("L")
    return np.asarray(shown, dtype=np.uint8).reshape(size, size, channels)


def read_rows(content: bytes, where: str) -> NDArray[np.uint8]:  # h w c
    """Return an image with all its pixels, as one that holds data has them."""
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


def _opened(pillow: ModuleType, file: io.BytesIO) -> "Image":
    with _quiet(pillow):
        opened: Image = pillow.open(file, formats=FORMATS)
        return opened


@contextmanager
def _quiet(pillow: ModuleType) -> Iterator[None]:
    """Pass over what is said of damaged tags, and take a bomb for an error."""
    with ONE_AT_A_TIME, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("error", pillow.DecompressionBombWarning)
        yield


def _check_length(length: int, where: str) -> None:
    if length == 0:
        raise DataError(f"{where}: is empty. Remove it, or copy it again.")
    if length > LARGEST_FILE:
        raise DataError(f"{where}: is larger than {LARGEST_FILE >> 20} MiB. Make it smaller first.")


def _check_size(image: "Image", where: str, fit: Fit, most_pixels: int) -> None:
    if image.width * image.height > most_pixels:
        raise _too_large(where, most_pixels)
    width, height = image.size
    if isinstance(fit, Framing):
        width, height = resized(width, height, fit)
    if max(image.size) > LONGEST_SIDE or width * height > most_pixels:
        raise DataError(f"{where}: one side is far too long for the other. Cut it first.")
    if image.info.get("progressive") and has_more_scans(_content(image), MOST_SCANS):
        raise DataError(f"{where}: has more than {MOST_SCANS} scans. Save it anew.")


def _content(image: "Image") -> bytes:
    """Return the file of an image that is open, which goes on being read where it was."""
    file: IO[bytes] = image.fp  # type: ignore[attr-defined]
    place = file.tell()
    file.seek(0)
    content = file.read()
    file.seek(place)
    return content


def _too_large(where: str, most_pixels: int) -> DataError:
    return DataError(
        f"{where}: has more than {most_pixels:,} pixels, or claims to. Make it smaller first."
    )


def _decode_upright(image: "Image", pillow: ModuleType) -> None:
    """Decode the first image of a file, and turn it as its camera says."""
    from PIL import ImageOps

    if image.format != "TIFF":  # which reads its tags again while it is decoded
        image.seek(0)
        image.load()
    with _quiet(pillow):
        image.seek(0)
        image.load()
        ImageOps.exif_transpose(image, in_place=True)


def _flattened(image: "Image", kind: str | None) -> "Image":
    """Return an image in red, green and blue of 8 bits, what is transparent on white."""
    from PIL import Image

    if image.mode == "RGB" and "transparency" not in image.info:
        return image
    white = _white(image, kind) if _is_numeric(image) else 255.0
    flat = Image.new("RGB", image.size)
    for box in _strips(image):
        strip = image.crop(box)
        flat.paste(_on_white(_in_bytes(strip, white) if _is_numeric(strip) else strip), box)
    return flat


def _strips(image: "Image") -> Iterator[tuple[int, int, int, int]]:
    """Yield boxes of whole rows that cover an image."""
    rows = max(1, STRIP_PIXELS // max(1, image.width))
    for top in range(0, image.height, rows):
        yield 0, top, image.width, min(top + rows, image.height)


def _is_numeric(image: "Image") -> bool:
    """Say whether pixels are of 16 or 32 bits, or real numbers."""
    return image.mode.startswith("I") or image.mode == "F"


def _values(image: "Image") -> NDArray[np.float64]:  # h w
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(np.asarray(image, dtype=np.float64), posinf=0.0, neginf=0.0)


def _in_bytes(image: "Image", white: float) -> "Image":
    """Bring 16 bits, 32 bits and real numbers to 8 bits."""
    from PIL import Image

    return Image.fromarray(np.rint(255 * (_values(image) / white).clip(0, 1)).astype(np.uint8))


def _white(image: "Image", kind: str | None) -> float:
    """Return the number that means white: what is not said by the file is told by its numbers."""
    if image.mode.startswith("I;16") or (image.mode == "I" and kind in ("PNG", "PPM")):
        return 65535.0
    highest = max(float(_values(image.crop(box)).max(initial=0.0)) for box in _strips(image))
    if image.mode == "F" and highest <= 1:
        return 1.0
    return 255.0 if highest <= 255 else 65535.0


def _on_white(image: "Image") -> "Image":
    """Lay what is transparent on white, and bring all kinds of colour to red, green and blue."""
    from PIL import Image

    if "A" not in image.getbands() and "transparency" not in image.info:
        return image.convert("RGB")
    layer = image.convert("RGBA")
    ground = Image.new("RGBA", layer.size, (*WHITE, 255))
    return Image.alpha_composite(ground, layer).convert("RGB")
