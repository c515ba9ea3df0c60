"""Pictures that strangers send: opened one at a time, whatever they turn out to be."""

import asyncio
import binascii
from base64 import b64decode

from dragoman.config.serving import ServingSettings
from dragoman.core.errors import DataError
from dragoman.data.batching.pixels import Bytes, Pixels
from dragoman.data.formats.image_files import read_image_bytes
from dragoman.server.refusal import Refusal


class Pictures:
    """Opens pictures one after the other, so that many large ones do not fill the memory."""

    def __init__(self, settings: ServingSettings) -> None:
        self._most = settings.max_pixels
        self._turn = asyncio.Semaphore(1)

    async def open(self, content: bytes, name: str, pixels: Pixels) -> Bytes:
        """Return a picture as a network was shown its own; what is none is refused."""
        async with self._turn:
            return await asyncio.to_thread(self._opened, content, name, pixels)

    def _opened(self, content: bytes, name: str, pixels: Pixels) -> Bytes:
        try:
            return read_image_bytes(
                content,
                name,
                size=pixels.size,
                channels=pixels.channels,
                fit=pixels.fit,
                most_pixels=self._most,
            )
        except DataError as error:  # names the client's own picture, and nothing of ours
            raise Refusal(400, f"Invalid request: {error}") from None


def from_base64(text: str, name: str) -> bytes:
    """Return the bytes that a text stands for."""
    try:
        return b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        raise Refusal(400, f"Invalid request: {name} is not base64.") from None
