"""Trusted hosts: only requests with a Host header of this server are answered (DNS rebinding).

A foreign page can make its own name resolve to this machine. The browser then takes our responses
for that page's own, but it still sends the name in the Host header.
"""

from collections.abc import Iterable

from starlette.types import ASGIApp, Receive, Scope, Send

from dragoman.core.addresses import Address, is_loopback, read_address
from dragoman.server.errors import ApiError
from dragoman.server.middleware.request_headers import header

ANY_ADDRESS = {"0.0.0.0", "::"}
"""Addresses to listen at that are no host name."""


class TrustedHostMiddleware:
    """Trusted host middleware: refuses requests for other host names."""

    def __init__(self, app: ASGIApp, names: Iterable[str]) -> None:
        self.app = app
        self.names = {own for name in names if (own := normalized_host(name))} - ANY_ADDRESS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, if its Host header is one of the server's names."""
        address = requested_host(scope)
        if address is None or not self._is_ours(address[0], scope):
            raise ApiError(400, "Invalid request: this server does not answer to this Host.")
        await self.app(scope, receive, send)

    def _is_ours(self, name: str, scope: Scope) -> bool:
        if name in self.names or is_loopback(name):
            return True
        # Where the server listens at all addresses, the one that was connected to is its own.
        reached = (scope.get("server") or ("", None))[0]
        return name == normalized_host(reached)


def requested_host(scope: Scope) -> Address | None:
    """Return name and port of the Host header."""
    host = header(scope, b"host")
    return read_address(host) if host else None


def normalized_host(name: str) -> str:
    """Return a host name or address in normal form; empty if it is neither."""
    read = read_address(f"[{name}]" if name.count(":") > 1 else name)
    return read[0] if read else ""
