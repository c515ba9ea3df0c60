"""JSON whose texts are no text: half characters, NUL, bytes that are not UTF-8.

Python reads half a character from JSON without a word, and fails when it is written out again, far
from where it came in. So it is looked for here, for all routes at once.
"""

import re

from starlette.types import ASGIApp, Receive, Scope, Send

from dragoman.server.middleware.request_bodies import content_type, gathered, replayed
from dragoman.server.refusal import Refusal

_ESCAPE = re.compile(
    rb"\\(?:"
    rb"u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|"  # two halves, one character
    rb"(u[dD][89a-fA-F][0-9a-fA-F]{2}|u0000)|"
    rb".)",
    re.DOTALL,
)


class TextValidation:
    """Refuse JSON that holds no proper text."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on if its JSON can be read and written."""
        kind = content_type(scope)
        if kind.endswith(("/json", "+json")):
            body = await gathered(receive)
            if not is_text(body):
                raise Refusal(
                    400, "Invalid request: the JSON holds half a character, NUL or no UTF-8."
                )
            receive = replayed(body, receive)
        await self.app(scope, receive, send)


def is_text(body: bytes) -> bool:
    """Say whether all the strings of a JSON document can be written as UTF-8, without NUL."""
    if b"\x00" in body:  # JSON in UTF-16 has it too
        return False
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return not any(escape[1] for escape in _ESCAPE.finditer(body))
