"""Authentication: a request without a valid API key is refused before any work is done."""

from collections.abc import Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dragoman.server.middleware.api_keys import KeyFile
from dragoman.server.middleware.credentials import keys_in_body, keys_in_headers, taken_from_query
from dragoman.server.middleware.request_bodies import gathered, replayed
from dragoman.server.refusal import Refusal, busy

OPEN = {"/health"}
"""Paths that anybody may ask for."""

LIBRE = {"/translate", "/detect", "/languages", "/translate_file", "/frontend/settings"}
"""Paths whose clients may put the key into the address or the body."""

UPLOADS_HELD = 4
"""Bodies of the largest size that may be held at once while a key is looked for in them."""


class Locked:
    """Pass on only requests that carry a key."""

    def __init__(self, app: ASGIApp, keys: KeyFile | None, largest: int) -> None:
        self.app = app
        self.keys = keys
        self._room = UPLOADS_HELD * largest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request with a key on; its body too, if it had to be read for that."""
        in_query = taken_from_query(scope)
        if self.keys is None or scope["path"] in OPEN or self._opens(scope, keys_in_headers(scope)):
            await self.app(scope, receive, send)
            return
        if scope["path"] in LIBRE:
            if not self._opens(scope, in_query):
                receive = await self._with_key_in_body(scope, receive)
            await self.app(scope, receive, send)
            return
        raise no_key()

    def _opens(self, scope: Scope, found: Iterable[bytes]) -> bool:
        for key in found:
            owner = self.keys.owner(key) if self.keys else None
            if owner is not None:
                scope["state"]["key"] = owner
                return True
        return False

    async def _with_key_in_body(self, scope: Scope, receive: Receive) -> Receive:
        body = await self._held(receive)
        try:
            if not self._opens(scope, await keys_in_body(scope, body, receive)):
                raise no_key()
        finally:
            self._room += len(body)
        return replayed(body, receive)

    async def _held(self, receive: Receive) -> bytes:
        """Return a body, and have less room by it; strangers together cannot fill the memory."""
        taken = 0

        async def receive_if_there_is_room() -> Message:
            nonlocal taken
            message = await receive()
            size = len(message.get("body", b""))
            if size > self._room:
                raise busy()
            taken += size
            self._room -= size
            return message

        try:
            return await gathered(receive_if_there_is_room)
        except BaseException:
            self._room += taken
            raise


def no_key() -> Refusal:
    """A key is wanted; a browser then asks its user for one."""
    return Refusal(
        401,
        "This server asks for an API key, and this request has none that it knows.",
        kind="authentication_error",
        headers={"WWW-Authenticate": 'Basic realm="Dragoman", charset="UTF-8"'},
    )
