"""Pictures of every kind become squares of bytes, or a clear word is said."""

import io
import struct
import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from dragoman.core.errors import DataError
from dragoman.data.formats.image_files import is_image_name, read_image

RED, WHITE = (200, 30, 30), (255, 255, 255)


def read(path, size=8, channels=3, fit="crop"):
    return read_image(path, size=size, channels=channels, fit=fit)


def saved(path, image, **options):
    image.save(path, **options)
    return path


def half_red(size=(16, 16)):
    """A picture whose left half is red and whose right half is white."""
    image = Image.new("RGB", size, WHITE)
    image.paste(RED, (0, 0, size[0] // 2, size[1]))
    return image


@pytest.mark.parametrize("ending", ["png", "bmp", "gif", "tiff", "webp", "ppm", "jpg"])
def test_every_known_format_is_read(tmp_path, ending):
    path = saved(tmp_path / f"a.{ending}", half_red((8, 8)))
    found = read(path)
    assert found.shape == (8, 8, 3)
    assert found.dtype == np.uint8
    assert np.abs(found[4, 1].astype(int) - RED).max() < 40  # JPEG and WebP lose a little
    assert np.abs(found[4, 6].astype(int) - WHITE).max() < 40


def test_a_grey_network_is_given_one_channel(tmp_path):
    found = read(saved(tmp_path / "a.png", half_red()), channels=1)
    assert found.shape == (8, 8, 1)
    assert found[0, 0, 0] < found[0, 7, 0] == 255


def test_what_is_not_square_is_cut_or_padded(tmp_path):
    path = saved(tmp_path / "a.png", Image.new("RGB", (32, 8), RED))
    assert (read(path) == RED).all()
    padded = read(path, fit="pad")
    assert (padded[0] == WHITE).all()
    assert (padded[4] == RED).all()


def test_a_photograph_is_turned_as_its_camera_says(tmp_path):
    image, turned = half_red(), Image.Exif()
    turned[0x0112] = 3  # upside down, so that the left is on the right
    found = read(saved(tmp_path / "a.jpg", image, exif=turned))
    assert found[4, 0, 1] > 200 > 80 > found[4, 7, 1]


def test_of_an_animation_the_first_picture_counts(tmp_path):
    frames = [Image.new("RGB", (8, 8), colour) for colour in (RED, WHITE)]
    frames[0].save(tmp_path / "a.gif", save_all=True, append_images=frames[1:])
    assert (read(tmp_path / "a.gif") == RED).all()


def test_ink_colours_become_those_of_a_screen(tmp_path):
    path = saved(tmp_path / "a.jpg", Image.new("CMYK", (8, 8), (0, 255, 255, 0)), quality=95)
    red, green, blue = read(path)[4, 4].astype(int)
    assert red > 200
    assert max(green, blue) < 60


def test_what_is_transparent_lies_on_white(tmp_path):
    clear = Image.new("RGBA", (8, 8), (*RED, 0))
    assert (read(saved(tmp_path / "a.png", clear)) == WHITE).all()
    palette = Image.new("P", (8, 8), 0)
    palette.putpalette([*RED, *WHITE])
    assert (read(saved(tmp_path / "b.png", palette, transparency=0)) == WHITE).all()
    grey = Image.new("LA", (8, 8), (10, 0))
    assert (read(saved(tmp_path / "c.png", grey)) == WHITE).all()


def test_sixteen_bits_become_eight(tmp_path):
    values = np.array([[0, 65535], [32768, 257]], dtype=np.uint16)
    path = saved(tmp_path / "a.png", Image.fromarray(values))
    assert read(path, size=2, channels=1)[..., 0].tolist() == [[0, 255], [128, 1]]


def test_real_numbers_between_nought_and_one_are_shares_of_white(tmp_path):
    values = np.array([[0.0, 1.0], [0.5, np.nan]], dtype=np.float32)
    path = saved(tmp_path / "a.tiff", Image.fromarray(values))
    assert read(path, size=2, channels=1)[..., 0].tolist() == [[0, 255], [128, 0]]


def png_that_claims(width, height):
    """A PNG of a few bytes that claims to be enormous."""

    def chunk(name, content):
        body = name + content
        return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + data


@pytest.mark.parametrize("side", [9_000, 12_000, 60_000])
def test_a_decompression_bomb_is_refused_before_it_is_decoded(tmp_path, side):
    path = tmp_path / "bomb.png"
    path.write_bytes(png_that_claims(side, side))
    with pytest.raises(DataError, match=r"bomb\.png: has more than 80,000,000 pixels"):
        read(path)


def make_png():
    stream = io.BytesIO()
    half_red().save(stream, "PNG")
    return stream.getvalue()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is empty"),
        (b"hello, I am a text\n", "is not a picture that can be read"),
        (make_png()[:60], "the picture is damaged"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 8 8\n", "is not a picture"),
    ],
)
def test_what_is_no_picture_is_one_clear_line(tmp_path, content, told):
    path = tmp_path / "odd.png"
    path.write_bytes(content)
    with pytest.raises(DataError, match=rf"odd\.png: {told}") as caught:
        read(path)
    assert "\n" not in str(caught.value)


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path):
    with pytest.raises(DataError, match="there is no such file"):
        read(tmp_path / "none.png")
    with pytest.raises(DataError, match="is a folder"):
        read(tmp_path)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_a_damaged_picture_is_read_or_refused_and_never_more(tmp_path, data):
    content = bytearray(make_png())
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.integers(0, 255))
    path = tmp_path / "bent.png"
    path.write_bytes(bytes(content[: data.draw(st.integers(1, len(content)))]))
    with suppress(DataError):
        assert read(path).shape == (8, 8, 3)


def test_a_picture_is_known_by_its_name():
    assert is_image_name(Path("A.JPG"))
    assert not is_image_name(Path("Thumbs.db"))
