"""Decoding of images that clients send."""

import asyncio
import binascii
from base64 import b64decode

from dragoman.config.serving import ServingSettings
from dragoman.core.errors import DataError
from dragoman.data.batching.pixels import Bytes, Pixels
from dragoman.data.formats.image_files import read_image_bytes
from dragoman.server.errors import ApiError


class ImageDecoder:
    """Decodes images one after the other, so that many large ones do not fill the memory."""

    def __init__(self, settings: ServingSettings) -> None:
        self._max_pixels = settings.max_pixels
        self._one_at_a_time = asyncio.Semaphore(1)

    async def decode(self, content: bytes, name: str, pixels: Pixels) -> Bytes:
        """Return an image as the network's training images were; what is no image is refused."""
        async with self._one_at_a_time:
            return await asyncio.to_thread(self._decode, content, name, pixels)

    def _decode(self, content: bytes, name: str, pixels: Pixels) -> Bytes:
        try:
            return read_image_bytes(
                content,
                name,
                size=pixels.size,
                channels=pixels.channels,
                fit=pixels.fit,
                most_pixels=self._max_pixels,
            )
        except DataError as error:  # names the client's image, and nothing of the server
            raise ApiError(400, f"Invalid request: {error}") from None


def decode_base64(text: str, name: str) -> bytes:
    """Return the bytes of a base64 text."""
    try:
        return b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        raise ApiError(400, f"Invalid request: {name} is not base64.") from None
