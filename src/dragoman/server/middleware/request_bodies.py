"""Request bodies that middleware reads before the routes do."""

from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive, Scope

from dragoman.server.middleware.request_headers import header


def content_type(scope: Scope) -> str:
    """Return the media type of a body, without parameters; empty if there is none."""
    return (header(scope, b"content-type") or "").partition(";")[0].strip().lower()


async def read_body(receive: Receive) -> bytes:
    """Read a whole body."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


def replay_body(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives a body once more, and then whatever comes after it."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return waiting.pop() if waiting else await receive()

    return receive_again
