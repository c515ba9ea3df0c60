"""The middleware stack, each part in its place."""

from starlette.types import ASGIApp, Receive, Scope, Send

from dragoman.config.serving import ServingSettings
from dragoman.core.addresses import read_origin
from dragoman.server.middleware.api_keys import KeyFile
from dragoman.server.middleware.authentication import Locked
from dragoman.server.middleware.body_limits import Limits
from dragoman.server.middleware.cors import Origins
from dragoman.server.middleware.error_handler import Caught
from dragoman.server.middleware.request_head import Heads
from dragoman.server.middleware.request_id import Headers
from dragoman.server.middleware.text_validation import TextValidation
from dragoman.server.middleware.trusted_hosts import Hosts


def guarded(app: ASGIApp, settings: ServingSettings, keys: KeyFile | None = None) -> ASGIApp:
    """Put the middleware before an application; a request meets the last part first."""
    origins = frozenset(one for text in settings.origins if (one := read_origin(text)))
    inner: ASGIApp = TextValidation(app)
    inner = Locked(inner, keys, settings.max_upload_bytes)
    inner = Limits(inner, settings)
    inner = Origins(inner, origins)
    inner = Hosts(inner, (settings.host, *settings.hosts))
    inner = Heads(inner, settings.max_head_bytes)
    inner = Caught(inner)
    inner = Headers(inner, origins)
    return _Door(app, inner)


class _Door:
    """The way for requests; the server's own messages go straight in, and nothing else at all."""

    def __init__(self, app: ASGIApp, way: ASGIApp) -> None:
        self.app = app
        self.way = way

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self.way(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})
