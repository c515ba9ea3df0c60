"""The request head: reading request line and headers, refusing what no honest client sends."""

from urllib.parse import unquote_to_bytes

from starlette.types import ASGIApp, Receive, Scope, Send

from dragoman.server.refusal import Refusal

MOST_HEADERS = 100


def headers(scope: Scope, name: bytes) -> list[str]:
    """Return all that a request says under a name."""
    return [value.decode("latin-1") for said, value in scope["headers"] if said == name]


def header(scope: Scope, name: bytes) -> str | None:
    """Return what a request says under a name; None if it says nothing or contradicts itself."""
    found = headers(scope, name)
    return found[0] if len(found) == 1 else None


class Heads:
    """Refuse heads that are too large, and addresses with characters that name no thing of ours."""

    def __init__(self, app: ASGIApp, largest: int) -> None:
        self.app = app
        self.largest = largest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request with a decent head on."""
        said = scope["headers"]
        target = scope.get("raw_path") or scope["path"].encode("utf-8", "replace")
        size = len(target) + len(scope["query_string"])
        size += sum(len(name) + len(value) + 4 for name, value in said)
        if size > self.largest or len(said) > MOST_HEADERS:
            raise Refusal(431, "The headers of this request are too large.")
        if not scope["path"].startswith("/") and scope["method"] != "OPTIONS":
            raise Refusal(400, "Invalid request: ask for a path.")
        if b"\x00" in unquote_to_bytes(target + scope["query_string"]):
            raise Refusal(400, "Invalid request: the address holds a NUL character.")
        await self.app(scope, receive, send)
