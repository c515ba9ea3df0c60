"""Request headers: reading them, and the limits of their size and number."""

from urllib.parse import unquote_to_bytes

from starlette.types import ASGIApp, Receive, Scope, Send

from dragoman.server.errors import ApiError

MAX_HEADERS = 100


def headers(scope: Scope, name: bytes) -> list[str]:
    """Return all values of a header."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


def header(scope: Scope, name: bytes) -> str | None:
    """Return the value of a header; None if it is missing or repeated."""
    found = headers(scope, name)
    return found[0] if len(found) == 1 else None


class HeaderLimitMiddleware:
    """Header limit middleware: refuses headers that are too large, and invalid paths."""

    def __init__(self, app: ASGIApp, largest: int) -> None:
        self.app = app
        self.largest = largest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, if its headers are within the limits."""
        headers = scope["headers"]
        target = scope.get("raw_path") or scope["path"].encode("utf-8", "replace")
        size = len(target) + len(scope["query_string"])
        size += sum(len(name) + len(value) + 4 for name, value in headers)
        if size > self.largest or len(headers) > MAX_HEADERS:
            raise ApiError(431, "The headers of this request are too large.")
        if not scope["path"].startswith("/") and scope["method"] != "OPTIONS":
            raise ApiError(400, "Invalid request: ask for a path.")
        if b"\x00" in unquote_to_bytes(target + scope["query_string"]):
            raise ApiError(400, "Invalid request: the address holds a NUL character.")
        await self.app(scope, receive, send)
