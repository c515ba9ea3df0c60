"""A small file cannot cost much: neither memory by its modes, nor time by its scans."""

import io

import numpy as np
import pytest
from PIL import Image

from dragoman.core.errors import DataError
from dragoman.data.formats import image_files
from dragoman.data.formats.image_files import MOST_SCANS, read_image_bytes
from dragoman.data.formats.jpeg_scans import has_more_scans

SIDE = 24


def read(content: bytes) -> np.ndarray:
    return read_image_bytes(content, "image", size=8, channels=3)


def stored(image: Image.Image, kind: str, **options: object) -> bytes:
    stream = io.BytesIO()
    image.save(stream, kind, **options)
    return stream.getvalue()


def noise(*shape: int, kind: type = np.uint8, most: int = 256) -> np.ndarray:
    return (np.random.default_rng(1).random(shape) * most).astype(kind)


def palette_with_transparency() -> bytes:
    image = Image.fromarray(noise(SIDE, SIDE, 3)).quantize(16)
    return stored(image, "PNG", transparency=bytes(range(0, 256, 16)))


MODES = {
    "gray": stored(Image.fromarray(noise(SIDE, SIDE)), "PNG"),
    "1 bit": stored(Image.fromarray(noise(SIDE, SIDE) > 128), "PNG"),
    "16 bits": stored(Image.fromarray(noise(SIDE, SIDE, kind=np.uint16, most=65536)), "PNG"),
    "32 bits": stored(Image.fromarray(noise(SIDE, SIDE, kind=np.int32, most=200)), "TIFF"),
    "real numbers": stored(Image.fromarray(noise(SIDE, SIDE, kind=np.float32, most=1)), "TIFF"),
    "large real numbers": stored(Image.fromarray(noise(SIDE, SIDE, kind=np.float32)), "TIFF"),
    "palette": palette_with_transparency(),
    "a color that is transparent": stored(
        Image.fromarray(noise(SIDE, SIDE, 3, most=2)), "PNG", transparency=(1, 1, 1)
    ),
    "transparent": stored(Image.fromarray(noise(SIDE, SIDE, 4)), "PNG"),
    "transparent gray": stored(Image.fromarray(noise(SIDE, SIDE, 2)), "PNG"),
    "ink": stored(Image.fromarray(noise(SIDE, SIDE, 4), "CMYK"), "TIFF"),
    "color": stored(Image.fromarray(noise(SIDE, SIDE, 3)), "PNG"),
}


@pytest.mark.parametrize("content", MODES.values(), ids=MODES)
def test_an_image_that_is_converted_in_strips_is_the_one_converted_whole(content, monkeypatch):
    whole = read(content)
    monkeypatch.setattr(image_files, "STRIP_PIXELS", 5 * SIDE)
    assert (read(content) == whole).all()


def progressive(scans: int) -> bytes:
    """Return a progressive JPEG whose last scan is repeated, which changes nothing of it."""
    content = stored(Image.fromarray(noise(SIDE, SIDE, 3)), "JPEG", progressive=True)
    begin = content.rindex(b"\xff\xda")
    assert not has_more_scans(content, 10)
    assert has_more_scans(content, 9)
    return content[:-2] + (scans - 10) * content[begin:-2] + b"\xff\xd9"


def test_a_jpeg_of_very_many_scans_is_refused_before_it_is_decoded():
    with pytest.raises(DataError, match=f"image: has more than {MOST_SCANS} scans"):
        read(progressive(MOST_SCANS + 1))
    with pytest.raises(DataError, match="scans"):
        read(progressive(50_000))


def test_a_progressive_jpeg_is_read_and_what_comes_after_its_end_is_not_counted():
    content = progressive(10)
    assert (read(content) == read(content + b"\xff\xda" * 1000)).all()


def test_comments_and_codes_are_not_taken_for_scans():
    content = stored(Image.fromarray(noise(64, 64, 3)), "JPEG", comment=b"\xff\xda" * 1000)
    assert not has_more_scans(content, 1)


@pytest.mark.parametrize("size", [(70_000, 1), (1, 70_000)])
def test_a_side_that_is_far_too_long_is_refused(size):
    with pytest.raises(DataError, match="one side is far too long"):
        read(stored(Image.new("L", size), "PNG"))
