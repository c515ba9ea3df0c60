"""The whole door, each part in its place."""

from starlette.types import ASGIApp, Receive, Scope, Send

from dragoman.config.serving import ServingSettings
from dragoman.core.addresses import read_origin
from dragoman.server.door.caught import Caught
from dragoman.server.door.headers import Headers
from dragoman.server.door.heads import Heads
from dragoman.server.door.hosts import Hosts
from dragoman.server.door.keys import KeyFile
from dragoman.server.door.limits import Limits
from dragoman.server.door.locked import Locked
from dragoman.server.door.origins import Origins
from dragoman.server.door.texts import Texts


def guarded(app: ASGIApp, settings: ServingSettings, keys: KeyFile | None = None) -> ASGIApp:
    """Put the door before an application; a request meets the parts from the last to the first."""
    origins = frozenset(one for text in settings.origins if (one := read_origin(text)))
    inner: ASGIApp = Texts(app)
    inner = Locked(inner, keys, settings.largest_upload)
    inner = Limits(inner, settings)
    inner = Origins(inner, origins)
    inner = Hosts(inner, (settings.host, *settings.hosts))
    inner = Heads(inner, settings.largest_head)
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
