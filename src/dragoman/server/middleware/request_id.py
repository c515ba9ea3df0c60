"""Request ids and response headers: an id for every request, and what browsers are to mind."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dragoman.core.addresses import Origin, read_origin
from dragoman.server.middleware.error_responses import new_identity
from dragoman.server.middleware.request_head import header
from dragoman.server.middleware.security_headers import CAREFUL

PAGES, DATA = "/studio/", "/studio/api/"
"""Below the first are files of the page, which a browser may keep; not below the second."""


class Headers:
    """Number each request, and add to each answer what browsers are to mind."""

    def __init__(self, app: ASGIApp, origins: frozenset[Origin]) -> None:
        self.app = app
        self.origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with an id, and its answer back with headers."""
        identity = new_identity()
        scope.setdefault("state", {})["id"] = identity
        added = {**CAREFUL, b"cache-control": _keeping(scope["path"])}
        origin = header(scope, b"origin")
        if origin and read_origin(origin) in self.origins:
            added[b"access-control-allow-origin"] = origin.encode("latin-1")
            added[b"access-control-expose-headers"] = b"X-Request-Id, Retry-After"
        if self.origins:
            added[b"vary"] = b"Origin"

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                said = [(name.lower(), value) for name, value in message.get("headers", ())]
                names = {name for name, _ in said}
                missing = [(name, value) for name, value in added.items() if name not in names]
                own = (b"x-request-id", identity.encode("ascii"))
                message = {**message, "headers": [*said, *missing, own]}
            await send(message)

        await self.app(scope, receive, send_with_headers)


def _keeping(path: str) -> bytes:
    page = path.startswith(PAGES) and not path.startswith(DATA)
    return b"no-cache" if page else b"no-store"
