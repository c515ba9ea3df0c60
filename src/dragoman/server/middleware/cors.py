"""CORS: pages of other origins may not use this server, unless they are listed."""

import re

from starlette.types import ASGIApp, Receive, Scope, Send

from dragoman.core.addresses import Origin, origin_of, read_origin
from dragoman.server.errors import ApiError
from dragoman.server.middleware.request_headers import header, headers
from dragoman.server.middleware.trusted_hosts import requested_host

SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
"""Methods that change nothing, for which the browser itself withholds the response."""

ALLOWED_METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE"
HEADER_NAMES = re.compile(r"[A-Za-z0-9_, -]{1,1000}")
CROSS_ORIGIN = {"cross-site", "same-site"}
FORBIDDEN_ORIGIN = "This page may not ask this server. Its operator can allow it."


class CorsMiddleware:
    """CORS middleware: answers preflight requests, and refuses unsafe cross-origin requests."""

    def __init__(self, app: ASGIApp, origins: frozenset[Origin]) -> None:
        self.app = app
        self.origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, if its origin is the server's own or listed."""
        origins = headers(scope, b"origin")
        origin = read_origin(origins[0]) if len(origins) == 1 else None
        listed = origin is not None and origin in self.origins
        if scope["method"] == "OPTIONS" and headers(scope, b"access-control-request-method"):
            if not listed:
                raise ApiError(403, FORBIDDEN_ORIGIN, kind="permission_error")
            await _answer_preflight(scope, send)
            return
        if scope["method"] not in SAFE_METHODS and not listed:
            own = origins == [] or (origin is not None and origin == _own_origin(scope))
            if not own or header(scope, b"sec-fetch-site") in CROSS_ORIGIN:
                raise ApiError(403, FORBIDDEN_ORIGIN, kind="permission_error")
        await self.app(scope, receive, send)


def _own_origin(scope: Scope) -> Origin | None:
    address = requested_host(scope)
    return origin_of(scope["scheme"], address) if address else None


async def _answer_preflight(scope: Scope, send: Send) -> None:
    """Answer the preflight request of a listed origin; credentials are never allowed."""
    wanted = header(scope, b"access-control-request-headers") or ""
    allowed = {b"access-control-allow-methods": ALLOWED_METHODS, b"access-control-max-age": "600"}
    if HEADER_NAMES.fullmatch(wanted):
        allowed[b"access-control-allow-headers"] = wanted
    raw = [(name, value.encode("ascii")) for name, value in allowed.items()]
    await send({"type": "http.response.start", "status": 204, "headers": raw})
    await send({"type": "http.response.body", "body": b""})
