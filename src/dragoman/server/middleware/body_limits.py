"""Limits of request bodies: their size, and the time they take to arrive."""

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dragoman.config.serving import ServingSettings
from dragoman.server.errors import ApiError
from dragoman.server.middleware.request_headers import headers

UPLOAD_PATHS = {
    "/translate_file",
    "/classify",
    "/match",
    "/studio/api/nearest-captions",
    "/studio/api/classify-image",
}
"""Paths that accept files."""


class BodyLimitMiddleware:
    """Body limit middleware: refuses a body as soon as it is too large or too slow."""

    def __init__(self, app: ASGIApp, settings: ServingSettings) -> None:
        self.app = app
        self.settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request whose body is counted and timed while it is read."""
        uploads = scope["path"] in UPLOAD_PATHS
        largest = self.settings.max_upload_bytes if uploads else self.settings.max_body_bytes
        for length in headers(scope, b"content-length"):
            if not (length.isascii() and length.isdigit() and len(length) <= 20):
                raise ApiError(400, "Invalid request: its Content-Length is no number.")
            if int(length) > largest:
                raise payload_too_large(largest)
        body = _LimitedBody(receive, send, largest, self.settings.read_timeout)
        await self.app(scope, body.receive, body.send)


class _LimitedBody:
    """A body that is being read; once it is refused, no other response is sent.

    A route that reads it may turn the error into another one, and respond with that.
    """

    def __init__(self, receive: Receive, send: Send, largest: int, seconds: float) -> None:
        self._receive = receive
        self._send = send
        self._largest = largest
        self._seconds = seconds
        self._deadline: float | None = None
        self._size = 0
        self._whole = False
        self._started = False
        self._error: ApiError | None = None

    async def receive(self) -> Message:
        if self._whole:
            return await self._receive()
        if self._deadline is None:
            self._deadline = asyncio.get_running_loop().time() + self._seconds
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            raise self._remember(request_timeout()) from None
        self._size += len(message.get("body", b""))
        if self._size > self._largest:
            raise self._remember(payload_too_large(self._largest))
        self._whole = not message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        if self._error is not None and not self._started:
            raise self._error
        self._started = True
        await self._send(message)

    def _remember(self, error: ApiError) -> ApiError:
        self._error = error
        return error


def payload_too_large(largest: int) -> ApiError:
    """Return the error of a body that is too large: 413."""
    message = f"This is too large: at most {largest:,} bytes are taken here."
    return ApiError(413, message, headers={"Connection": "close"})


def request_timeout() -> ApiError:
    """Return the error of a body that did not arrive in time: 408; the rest is not awaited."""
    message = "The request did not arrive in time."
    return ApiError(408, message, kind="timeout_error", headers={"Connection": "close"})
