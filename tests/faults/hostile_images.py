"""Hostile images: enormous claims, bombs in their chunks, many scans, foreign formats."""

import io
import random
import struct
import zlib
from base64 import b64encode
from functools import cache
from math import isqrt

from PIL import Image

from dragoman.config.serving import ServingSettings

SIDE = isqrt(ServingSettings().max_pixels)
"""Of an image as large as a server takes."""


def chunk(name: bytes, data: bytes) -> bytes:
    """Return one chunk of a PNG file."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(width: int, height: int, depth: int, color: int, more: bytes = b"") -> bytes:
    """Return a PNG file of zeros, in few bytes."""
    samples = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[color]
    row = bytes((width * samples * depth + 7) // 8 + 1)
    packer = zlib.compressobj(9)
    data = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    head = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0)
    parts = (chunk(b"IHDR", head), more, chunk(b"IDAT", data), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def saved(image: Image.Image, kind: str, **options: object) -> bytes:
    """Return an image as a file."""
    stream = io.BytesIO()
    image.save(stream, kind, **options)
    return stream.getvalue()


def gif(width: int, height: int, frames: int) -> bytes:
    """Return a GIF file of tiny frames on a large screen."""
    frame = b"\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\x00"
    head = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + bytes(6)
    return head + frame * frames + b";"


def many_scans() -> bytes:
    """Return a progressive JPEG whose last scan is repeated."""
    content = saved(Image.new("RGB", (SIDE, SIDE)), "JPEG", progressive=True)
    return content[:-2] + content[content.rindex(b"\xff\xda") : -2] * 50_000 + b"\xff\xd9"


def bmp(width: int, height: int) -> bytes:
    """Return a BMP file that claims a size."""
    head = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 8, 1, 0, 0, 0, 2, 0)
    return b"BM" + struct.pack("<IHHI", 100, 0, 0, 62) + head + bytes(8) + b"\xff\x00" * 999


@cache
def images() -> list[bytes]:
    """Return all images; those near the limit of pixels are few, for they take seconds."""
    bomb = zlib.compress(bytes(100_000_000), 9)
    small = Image.new("RGB", (20, 20), (200, 30, 30))
    turned = Image.Exif()
    turned[0x0112] = 6
    return [
        *(png(SIDE, SIDE, 16, 0), png(SIDE, SIDE, 16, 6), png(SIDE, SIDE, 1, 0)),
        png(SIDE, SIDE, 8, 3, chunk(b"PLTE", bytes(768)) + chunk(b"tRNS", bytes(256))),
        *(saved(Image.new("CMYK", (SIDE, SIDE)), "JPEG"), gif(SIDE, SIDE, 1), many_scans()),
        saved(Image.new("F", (SIDE, SIDE)), "TIFF", compression="tiff_adobe_deflate"),
        saved(Image.new("RGB", (SIDE, SIDE)), "WEBP", lossless=True),
        png(10, 10, 8, 2, chunk(b"iCCP", b"a\0\0" + bomb)),
        png(10, 10, 8, 2, chunk(b"zTXt", b"a\0\0" + bomb)),
        png(10, 10, 8, 2, chunk(b"iTXt", b"a\0\1\0\0\0" + bomb)),
        png(10, 10, 8, 2, chunk(b"tEXt", b"a\0b") * 60_000),
        *(png(1, 1, 8, 2).replace(b"IHDR\0\0\0\1", b"IHDR\x7f\xff\xff\xff"), png(0, 9, 8, 2)),
        *(gif(10, 10, 100_000), gif(65_535, 65_535, 1), bmp(SIDE, SIDE), bmp(10, -(2**31))),
        *(
            b"P1 %d %d\n" % (SIDE, SIDE) + b"0 " * 100_000,
            b"P6 " + b"9" * 100_000,
            b"P6 #" + b"a" * 100_000,
        ),
        *(b"<svg width='99999999'/>", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", b""),
        *(saved(small, kind) for kind in ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "PPM")),
        *(saved(small, kind) for kind in ("ICO", "TGA", "PCX", "SGI", "PDF")),
        saved(small, "JPEG", exif=turned),
        saved(Image.new("1", (20, 20)), "TIFF", compression="group4"),
        saved(Image.new("L", (1, 60_000)), "PNG"),
        saved(small, "GIF", save_all=True, append_images=[Image.new("RGB", (20, 20))] * 50),
    ]


def hostile_image(draw: random.Random) -> tuple[bytes, str]:
    """Return an image, perhaps damaged, as bytes and in base64, which may be damaged too."""
    content = draw.choice(images())
    kind = draw.random()
    if content and kind < 0.5:
        place = draw.randrange(min(len(content), 200) if kind < 0.25 else len(content))
        content = content[:place] + draw.randbytes(draw.randint(0, 4)) + content[place + 4 :]
    elif content and kind < 0.6:
        content = content[: draw.randrange(len(content))]
    text = b64encode(content).decode()
    if draw.random() < 0.1:
        text = draw.choice(["data:image/png;base64," + text, text[:-1], text + "=", "%" + text, ""])
    return content, text
