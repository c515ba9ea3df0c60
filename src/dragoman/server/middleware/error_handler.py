"""Error handling: a client gets a status and a request id; the traceback goes to the log."""

import logging

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dragoman.core.errors import DivergedError
from dragoman.server.deadlines import ClientDisconnected
from dragoman.server.errors import ApiError
from dragoman.server.middleware.error_responses import request_id_of, send_error

LOG = logging.getLogger("dragoman.server")
INTERNAL_ERROR = ApiError(
    500, "Something went wrong here. Tell the operator this id.", kind="server_error"
)
BROKEN_MODEL = ApiError(
    503,
    "This model cannot answer: its weights are damaged. Tell the operator.",
    kind="server_error",
)


class ErrorMiddleware:
    """Error middleware: turns exceptions into error responses without internals."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request; on failure send an error, or break off a response that has started."""
        response = _Response(send)
        try:
            await self.app(scope, receive, response.send)
        except (ClientDisconnect, ClientDisconnected):
            return  # no client is left to respond to
        except (ApiError, DivergedError) as error:
            if not response.started:
                await send_error(scope, send, _told(error))
            # Else the response stays incomplete, and the server closes the connection.
        except Exception:
            where = f"{scope['method']} {scope['path']!r}"
            LOG.exception("%s: %s failed.", request_id_of(scope), where)
            if not response.started:
                await send_error(scope, send, INTERNAL_ERROR)
        else:
            await response.release()


def _told(error: ApiError | DivergedError) -> ApiError:
    """Return what a client is told; that of a network that computes no numbers is logged."""
    if isinstance(error, ApiError):
        return error
    LOG.error("%s", error)
    return BROKEN_MODEL


class _Response:
    """A response that is being sent; one of status 500 is delayed until its exception is known.

    Starlette's own error middleware responds first and raises then.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self._delayed: list[Message] = []
        self.started = False

    async def send(self, message: Message) -> None:
        starts = message["type"] == "http.response.start"
        if (starts and message["status"] == 500) or self._delayed:
            self._delayed.append(message)
            if message.get("more_body", False):
                await self.release()
            return
        self.started = True
        await self._send(message)

    async def release(self) -> None:
        delayed, self._delayed = self._delayed, []
        for message in delayed:
            self.started = True
            await self._send(message)
