"""Response headers: request id, security headers, cache control and CORS."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dragoman.core.addresses import Origin, read_origin
from dragoman.server.middleware.error_responses import new_request_id
from dragoman.server.middleware.request_headers import header
from dragoman.server.middleware.security_headers import SECURITY_HEADERS

STATIC, API = "/studio/", "/studio/api/"
"""Below the first are files of the page, which a browser may cache; not below the second."""


class ResponseHeadersMiddleware:
    """Response header middleware: adds the request id, security, cache and CORS headers."""

    def __init__(self, app: ASGIApp, origins: frozenset[Origin]) -> None:
        self.app = app
        self.origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request with a new id, and add headers to its response."""
        request_id = new_request_id()
        scope.setdefault("state", {})["id"] = request_id
        added = {**SECURITY_HEADERS, b"cache-control": _cache_control(scope["path"])}
        origin = header(scope, b"origin")
        if origin and read_origin(origin) in self.origins:
            added[b"access-control-allow-origin"] = origin.encode("latin-1")
            added[b"access-control-expose-headers"] = b"X-Request-Id, Retry-After"
        if self.origins:
            added[b"vary"] = b"Origin"

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = [(name.lower(), value) for name, value in message.get("headers", ())]
                names = {name for name, _ in own}
                missing = [(name, value) for name, value in added.items() if name not in names]
                numbered = (b"x-request-id", request_id.encode("ascii"))
                message = {**message, "headers": [*own, *missing, numbered]}
            await send(message)

        await self.app(scope, receive, send_with_headers)


def _cache_control(path: str) -> bytes:
    page = path.startswith(STATIC) and not path.startswith(API)
    return b"no-cache" if page else b"no-store"
