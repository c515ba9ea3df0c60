"""Limits of request bodies: too large, or never coming to an end."""

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dragoman.config.serving import ServingSettings
from dragoman.server.middleware.request_head import headers
from dragoman.server.refusal import Refusal

UPLOADS = {
    "/translate_file",
    "/classify",
    "/match",
    "/studio/api/nearest-captions",
    "/studio/api/classify-picture",
}
"""Paths that take files."""


class Limits:
    """Refuse a body as soon as it is known to be too large or too slow."""

    def __init__(self, app: ASGIApp, settings: ServingSettings) -> None:
        self.app = app
        self.settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with a body that is counted and timed while it is read."""
        uploads = scope["path"] in UPLOADS
        largest = self.settings.max_upload_bytes if uploads else self.settings.max_body_bytes
        for length in headers(scope, b"content-length"):
            if not (length.isascii() and length.isdigit() and len(length) <= 20):
                raise Refusal(400, "Invalid request: its Content-Length is no number.")
            if int(length) > largest:
                raise too_large(largest)
        body = _Body(receive, send, largest, self.settings.read_timeout)
        await self.app(scope, body.receive, body.send)


class _Body:
    """A body that is being read; once refused, no other answer than the refusal leaves.

    Whoever reads it may make another error out of the refusal, and answer with that.
    """

    def __init__(self, receive: Receive, send: Send, largest: int, seconds: float) -> None:
        self._receive = receive
        self._send = send
        self._largest = largest
        self._seconds = seconds
        self._deadline: float | None = None
        self._size = 0
        self._whole = False
        self._begun = False
        self._refusal: Refusal | None = None

    async def receive(self) -> Message:
        if self._whole:
            return await self._receive()
        if self._deadline is None:
            self._deadline = asyncio.get_running_loop().time() + self._seconds
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            raise self._refused(too_slow()) from None
        self._size += len(message.get("body", b""))
        if self._size > self._largest:
            raise self._refused(too_large(self._largest))
        self._whole = not message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        if self._refusal is not None and not self._begun:
            raise self._refusal
        self._begun = True
        await self._send(message)

    def _refused(self, refusal: Refusal) -> Refusal:
        self._refusal = refusal
        return refusal


def too_large(largest: int) -> Refusal:
    """More than is taken."""
    message = f"This is too large: at most {largest:,} bytes are taken here."
    return Refusal(413, message, headers={"Connection": "close"})


def too_slow() -> Refusal:
    """Not whole in time; what may still come is not waited for."""
    message = "The request did not arrive in time."
    return Refusal(408, message, kind="timeout_error", headers={"Connection": "close"})
