"""CORS: pages of other origins cannot make a browser do anything here, unless they are listed."""

import re

from starlette.types import ASGIApp, Receive, Scope, Send

from dragoman.core.addresses import Origin, origin_of, read_origin
from dragoman.server.middleware.request_head import header, headers
from dragoman.server.middleware.trusted_hosts import asked_for
from dragoman.server.refusal import Refusal

LOOKING = {"GET", "HEAD", "OPTIONS"}
"""Methods that change nothing."""

METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE"
HEADERS = re.compile(r"[A-Za-z0-9_, -]{1,1000}")
FOREIGN = {"cross-site", "same-site"}
REFUSED = "This page may not ask this server. Its operator can allow it."


class Origins:
    """Answer the questions of browsers about listed pages, and refuse what others would change."""

    def __init__(self, app: ASGIApp, origins: frozenset[Origin]) -> None:
        self.app = app
        self.origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on if its page may make it."""
        said = headers(scope, b"origin")
        origin = read_origin(said[0]) if len(said) == 1 else None
        listed = origin is not None and origin in self.origins
        if scope["method"] == "OPTIONS" and headers(scope, b"access-control-request-method"):
            if not listed:
                raise Refusal(403, REFUSED, kind="permission_error")
            await _allow(scope, send)
            return
        if scope["method"] not in LOOKING and not listed:
            own = said == [] or (origin is not None and origin == _own(scope))
            if not own or header(scope, b"sec-fetch-site") in FOREIGN:
                raise Refusal(403, REFUSED, kind="permission_error")
        await self.app(scope, receive, send)


def _own(scope: Scope) -> Origin | None:
    address = asked_for(scope)
    return origin_of(scope["scheme"], address) if address else None


async def _allow(scope: Scope, send: Send) -> None:
    """Tell a browser that a listed page may ask; never that it may use what the browser stores."""
    wanted = header(scope, b"access-control-request-headers") or ""
    allowed = {b"access-control-allow-methods": METHODS, b"access-control-max-age": "600"}
    if HEADERS.fullmatch(wanted):
        allowed[b"access-control-allow-headers"] = wanted
    raw = [(name, value.encode("ascii")) for name, value in allowed.items()]
    await send({"type": "http.response.start", "status": 204, "headers": raw})
    await send({"type": "http.response.body", "body": b""})
