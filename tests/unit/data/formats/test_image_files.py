"""Pictures of every kind become squares of bytes, or a clear word is said."""

import io
import random
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dragoman.core.errors import DataError
from dragoman.data.formats.framing import Framing
from dragoman.data.formats.image_files import is_image_name, read_image, read_image_bytes

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
    frames = [Image.new("RGB", (8, 8), color) for color in (RED, WHITE)]
    frames[0].save(tmp_path / "a.gif", save_all=True, append_images=frames[1:])
    assert (read(tmp_path / "a.gif") == RED).all()


def test_ink_colors_become_those_of_a_screen(tmp_path):
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


@pytest.mark.parametrize("ending", ["png", "tiff", "pgm"])
def test_a_dark_picture_of_sixteen_bits_stays_dark(tmp_path, ending):
    for highest in (200, 300):
        values = np.array([[0, highest], [100, 257]], dtype=np.uint16).clip(0, highest)
        path = saved(tmp_path / f"{highest}.{ending}", Image.fromarray(values))
        assert read(path, size=2, channels=1).max() == 1


def test_numbers_of_32_bits_are_bytes_where_none_is_larger(tmp_path):
    values = np.array([[0, 255], [128, 1]], dtype=np.int32)
    path = saved(tmp_path / "a.tiff", Image.fromarray(values))
    assert read(path, size=2, channels=1)[..., 0].tolist() == values.tolist()


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


def sample(kind, mode, **options):
    stream = io.BytesIO()
    half_red().convert(mode).save(stream, kind, **options)
    return stream.getvalue()


def turned():
    exif = Image.Exif()
    exif[0x0112] = 6
    return exif


SAMPLES = {
    "png": [("PNG", "RGB", {}), ("PNG", "P", {}), ("PNG", "LA", {}), ("PNG", "I;16", {})],
    "jpg": [("JPEG", "RGB", {"exif": turned(), "progressive": True}), ("JPEG", "CMYK", {})],
    "gif": [("GIF", "P", {"save_all": True, "append_images": [Image.new("P", (16, 16))]})],
    "bmp": [("BMP", "RGB", {}), ("BMP", "P", {}), ("BMP", "1", {})],
    "tiff": [
        *(("TIFF", mode, {}) for mode in ("RGB", "F", "I", "LA", "CMYK")),
        ("TIFF", "RGB", {"compression": "tiff_lzw"}),
        ("TIFF", "RGB", {"compression": "jpeg"}),
        ("TIFF", "P", {"compression": "tiff_deflate"}),
    ],
    "webp": [("WEBP", "RGB", {"exif": turned()}), ("WEBP", "RGBA", {"lossless": True})],
}


@pytest.mark.parametrize("ending", SAMPLES)
def test_a_damaged_picture_is_read_or_refused_and_never_more(tmp_path, ending):
    path, outcomes = tmp_path / f"bent.{ending}", set()
    for number, (kind, mode, options) in enumerate(SAMPLES[ending]):
        whole = sample(kind, mode, **options)
        for seed in range(120):
            drawn = random.Random(f"{number} {seed}")
            content = bytearray(whole)
            for _ in range(drawn.randint(1, 6)):
                content[drawn.randrange(len(content))] = drawn.randrange(256)
            cut = drawn.randint(1, len(content)) if seed % 4 == 0 else len(content)
            path.write_bytes(content[:cut])
            try:
                assert read(path).shape == (8, 8, 3)
                outcomes.add("read")
            except DataError:
                outcomes.add("refused")
    assert outcomes == {"read", "refused"}


STRIPS = 273


@pytest.mark.parametrize("kind", [2, 5, 7, 11])  # letters, a fraction, anything, a real number
def test_a_tag_of_the_wrong_kind_is_damage(tmp_path, kind):
    content = bytearray(sample("TIFF", "F"))
    (start,) = struct.unpack_from("<I", content, 4)
    (count,) = struct.unpack_from("<H", content, start)
    entries = range(start + 2, start + 2 + 12 * count, 12)
    (place,) = (at for at in entries if struct.unpack_from("<H", content, at) == (STRIPS,))
    struct.pack_into("<H", content, place + 2, kind)
    (tmp_path / "bent.tiff").write_bytes(content)
    with pytest.raises(DataError, match=r"bent\.tiff: the picture is damaged"):
        read(tmp_path / "bent.tiff")


def test_a_picture_is_known_by_its_name():
    assert is_image_name(Path("A.JPG"))
    assert not is_image_name(Path("Thumbs.db"))


def test_a_picture_that_framing_would_blow_up_is_refused(tmp_path):
    path = saved(tmp_path / "line.png", Image.new("L", (60_000, 1)))
    with pytest.raises(DataError, match="one side is far too long for the other"):
        read(path, size=224, fit=Framing((224,)))
    assert read(path, size=224).shape == (224, 224, 3)


def test_bytes_are_read_as_their_file_would_be(tmp_path):
    for ending, samples in SAMPLES.items():
        for kind, mode, options in samples:
            path = tmp_path / f"a.{ending}"
            path.write_bytes(sample(kind, mode, **options))
            found = read_image_bytes(path.read_bytes(), "a", size=8, channels=3)
            assert np.array_equal(found, read(path))


def test_bytes_that_are_no_picture_are_told_under_their_name():
    for content, said in ((b"", "is empty"), (b"hello", "is not a picture"), (make_png()[:60], "")):
        with pytest.raises(DataError, match=f"^image 3: .*{said}") as refused:
            read_image_bytes(content, "image 3", size=8, channels=3)
        assert "0x" not in str(refused.value)
    with pytest.raises(DataError, match="more than 10 pixels"):
        read_image_bytes(make_png(), "a", size=8, channels=3, most_pixels=10)
