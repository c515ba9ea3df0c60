"""Only who asks for this machine by a name of its own is answered.

A page from elsewhere can make its own name lead to this machine. The browser then takes our answers
for that page's own, but it still says the name that it was asked for.
"""

from collections.abc import Iterable

from starlette.types import ASGIApp, Receive, Scope, Send

from dragoman.core.addresses import Address, is_loopback, read_address
from dragoman.server.middleware.request_head import header
from dragoman.server.refusal import Refusal

EVERYWHERE = {"0.0.0.0", "::"}
"""Addresses to listen at that are nobody's name."""


class Hosts:
    """Refuse requests for names that are not ours."""

    def __init__(self, app: ASGIApp, names: Iterable[str]) -> None:
        self.app = app
        self.names = {own for name in names if (own := one_spelling(name))} - EVERYWHERE

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request for one of our names on."""
        address = asked_for(scope)
        if address is None or not self._is_ours(address[0], scope):
            raise Refusal(400, "Invalid request: this server does not answer to this Host.")
        await self.app(scope, receive, send)

    def _is_ours(self, name: str, scope: Scope) -> bool:
        if name in self.names or is_loopback(name):
            return True
        # Where the server listens everywhere, an address that was really reached is its own.
        reached = (scope.get("server") or ("", None))[0]
        return name == one_spelling(reached)


def asked_for(scope: Scope) -> Address | None:
    """Return the name and port that a request was sent to, in its own words."""
    host = header(scope, b"host")
    return read_address(host) if host else None


def one_spelling(name: str) -> str:
    """Return a name or an address as it is compared; empty if it is neither."""
    read = read_address(f"[{name}]" if name.count(":") > 1 else name)
    return read[0] if read else ""
