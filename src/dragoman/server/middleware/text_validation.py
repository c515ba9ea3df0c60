"""Text validation: JSON with lone surrogates, NUL or bytes that are not UTF-8 is refused.

Python reads a lone surrogate from JSON without an error, and fails when it is written out again,
far from where it came in. So it is checked here, for all routes at once.
"""

import re

from starlette.types import ASGIApp, Receive, Scope, Send

from dragoman.server.errors import ApiError
from dragoman.server.middleware.request_bodies import content_type, read_body, replay_body

_ESCAPE = re.compile(
    rb"\\(?:"
    rb"u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|"  # a surrogate pair
    rb"(u[dD][89a-fA-F][0-9a-fA-F]{2}|u0000)|"
    rb".)",
    re.DOTALL,
)


class TextValidationMiddleware:
    """Text validation middleware: refuses JSON whose strings are no valid text."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, if the strings of its JSON can be written as UTF-8."""
        kind = content_type(scope)
        if kind.endswith(("/json", "+json")):
            body = await read_body(receive)
            if not is_valid_text(body):
                raise ApiError(
                    400,
                    "Invalid request: the JSON contains an invalid character, NUL or bad UTF-8.",
                )
            receive = replay_body(body, receive)
        await self.app(scope, receive, send)


def is_valid_text(body: bytes) -> bool:
    """Say whether all strings of a JSON document can be written as UTF-8, without NUL."""
    if b"\x00" in body:  # JSON in UTF-16 has it too
        return False
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return not any(escape[1] for escape in _ESCAPE.finditer(body))
