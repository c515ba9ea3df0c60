"""Request bodies that are looked at before they are passed on."""

from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive, Scope

from dragoman.server.middleware.request_head import header


def content_type(scope: Scope) -> str:
    """Return what a body is said to be, without parameters; empty if nothing is said."""
    return (header(scope, b"content-type") or "").partition(";")[0].strip().lower()


async def gathered(receive: Receive) -> bytes:
    """Return a whole body."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


def replayed(body: bytes, receive: Receive) -> Receive:
    """Give a body again, as if it came just now, and then whatever comes after it."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return waiting.pop() if waiting else await receive()

    return receive_again
