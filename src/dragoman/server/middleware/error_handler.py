"""The last error handler: whatever breaks inside, a client gets an id, and the log the rest."""

import logging

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dragoman.server.deadlines import ClientGone
from dragoman.server.middleware.error_responses import identity_of, send_refusal
from dragoman.server.refusal import Refusal

LOG = logging.getLogger("dragoman.server")
BROKEN = Refusal(500, "Something went wrong here. Tell the operator this id.", kind="server_error")


class Caught:
    """Answer refusals and failures from further in, without saying how things look there."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; if that fails, answer it, or cut an answer that has begun."""
        answer = _Answer(send)
        try:
            await self.app(scope, receive, answer.send)
        except (ClientDisconnect, ClientGone):
            return  # nobody is there to be answered
        except Refusal as refusal:
            if not answer.begun:
                await send_refusal(scope, send, refusal)
            # Else the server closes the connection, for the answer stays without an end.
        except Exception:
            where = f"{scope['method']} {scope['path']!r}"
            LOG.exception("%s: %s failed.", identity_of(scope), where)
            if not answer.begun:
                await send_refusal(scope, send, BROKEN)
        else:
            await answer.release()


class _Answer:
    """An answer on its way; one of status 500 is held back until it is known why it was made.

    A framework that wraps its own last resort around everything answers first and raises then.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self._held: list[Message] = []
        self.begun = False

    async def send(self, message: Message) -> None:
        starts = message["type"] == "http.response.start"
        if (starts and message["status"] == 500) or self._held:
            self._held.append(message)
            if message.get("more_body", False):
                await self.release()
            return
        self.begun = True
        await self._send(message)

    async def release(self) -> None:
        held, self._held = self._held, []
        for message in held:
            self.begun = True
            await self._send(message)
