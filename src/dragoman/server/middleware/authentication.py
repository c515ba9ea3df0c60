"""Authentication: a request without a valid API key is refused before any work is done."""

from collections.abc import Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dragoman.server.errors import ApiError, busy
from dragoman.server.middleware.api_keys import KeyFile
from dragoman.server.middleware.credentials import body_keys, header_keys, pop_query_keys
from dragoman.server.middleware.request_bodies import read_body, replay_body

PUBLIC_PATHS = {"/health"}
"""Paths that need no key."""

KEY_IN_BODY = {"/translate", "/detect", "/languages", "/translate_file", "/frontend/settings"}
"""Paths of LibreTranslate, whose clients may send the key in the query or in the body."""

MAX_BUFFERED_UPLOADS = 4
"""Bodies of the largest size that may be buffered at once to find a key in them."""


class AuthenticationMiddleware:
    """Authentication middleware: passes on requests with a valid API key alone."""

    def __init__(self, app: ASGIApp, keys: KeyFile | None, largest: int) -> None:
        self.app = app
        self.keys = keys
        self._free_bytes = MAX_BUFFERED_UPLOADS * largest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request with a valid key; 401 for any other."""
        query_keys = pop_query_keys(scope)
        public = self.keys is None or scope["path"] in PUBLIC_PATHS
        if public or self._authenticate(scope, header_keys(scope)):
            await self.app(scope, receive, send)
            return
        if scope["path"] in KEY_IN_BODY:
            if not self._authenticate(scope, query_keys):
                receive = await self._authenticate_body(scope, receive)
            await self.app(scope, receive, send)
            return
        raise unauthorized()

    def _authenticate(self, scope: Scope, keys: Iterable[bytes]) -> bool:
        for key in keys:
            owner = self.keys.owner(key) if self.keys else None
            if owner is not None:
                scope["state"]["key"] = owner
                return True
        return False

    async def _authenticate_body(self, scope: Scope, receive: Receive) -> Receive:
        body = await self._buffer(receive)
        try:
            if not self._authenticate(scope, await body_keys(scope, body, receive)):
                raise unauthorized()
        finally:
            self._free_bytes += len(body)
        return replay_body(body, receive)

    async def _buffer(self, receive: Receive) -> bytes:
        """Return a body that counts against the limit of all buffered bodies."""
        size_so_far = 0

        async def receive_within_limit() -> Message:
            nonlocal size_so_far
            message = await receive()
            size = len(message.get("body", b""))
            if size > self._free_bytes:
                raise busy()
            size_so_far += size
            self._free_bytes -= size
            return message

        try:
            return await read_body(receive_within_limit)
        except BaseException:
            self._free_bytes += size_so_far
            raise


def unauthorized() -> ApiError:
    """Return the error of a missing key: 401; a browser then asks its user for one."""
    return ApiError(
        401,
        "An API key is required, and this request has no valid one.",
        kind="authentication_error",
        headers={"WWW-Authenticate": 'Basic realm="Dragoman", charset="UTF-8"'},
    )
