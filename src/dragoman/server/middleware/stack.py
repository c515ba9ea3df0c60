"""The middleware stack, in order."""

from starlette.types import ASGIApp, Receive, Scope, Send

from dragoman.config.serving import ServingSettings
from dragoman.core.addresses import read_origin
from dragoman.server.middleware.api_keys import KeyFile
from dragoman.server.middleware.authentication import AuthenticationMiddleware
from dragoman.server.middleware.body_limits import BodyLimitMiddleware
from dragoman.server.middleware.cors import CorsMiddleware
from dragoman.server.middleware.error_handler import ErrorMiddleware
from dragoman.server.middleware.request_headers import HeaderLimitMiddleware
from dragoman.server.middleware.response_headers import ResponseHeadersMiddleware
from dragoman.server.middleware.text_validation import TextValidationMiddleware
from dragoman.server.middleware.trusted_hosts import TrustedHostMiddleware


def with_middleware(
    app: ASGIApp, settings: ServingSettings, keys: KeyFile | None = None
) -> ASGIApp:
    """Wrap an application in its middleware; a request passes the last one first."""
    origins = frozenset(one for text in settings.origins if (one := read_origin(text)))
    inner: ASGIApp = TextValidationMiddleware(app)
    inner = AuthenticationMiddleware(inner, keys, settings.max_upload_bytes)
    inner = BodyLimitMiddleware(inner, settings)
    inner = CorsMiddleware(inner, origins)
    inner = TrustedHostMiddleware(inner, (settings.host, *settings.hosts))
    inner = HeaderLimitMiddleware(inner, settings.max_head_bytes)
    inner = ErrorMiddleware(inner)
    inner = ResponseHeadersMiddleware(inner, origins)
    return _ScopeRouter(app, inner)


class _ScopeRouter:
    """Sends HTTP through the middleware and lifespan events past it; refuses WebSockets."""

    def __init__(self, app: ASGIApp, middleware: ASGIApp) -> None:
        self.app = app
        self.middleware = middleware

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self.middleware(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})
