"""One connection: uvicorn's own, but nobody can hold it open by doing nothing.

What is limited here cannot be limited further in, where only whole requests arrive: how many
connections there are, how long the first lines of a request take and how large they are, how small
the pieces of a body may be, and how long a client may take to read its answer.

The figures are those of uvicorn's configuration: `timeout_keep_alive` is how long a client may do
nothing, `limit_concurrency` how many connections there may be.
"""

import asyncio
import socket
from typing import Any, cast

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from dragoman.server.middleware.error_responses import bare_answer
from dragoman.server.middleware.http_counts import CountedConnection
from dragoman.server.middleware.lingering_close import LingeringTransport
from dragoman.server.middleware.timer import Alarm
from dragoman.server.refusal import Refusal, busy

LARGEST_HEAD = 16 << 10
"""Bytes, where the configuration says nothing."""


class Connection(H11Protocol):
    """A connection with a client that may be slow, but not for ever."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._read = CountedConnection(config.h11_max_incomplete_event_size or LARGEST_HEAD)
        self.conn = self._read
        # uvicorn would refuse the requests of too many connections, but keep the connections.
        self._most, self.limit_concurrency = config.limit_concurrency, None
        self._seconds = config.timeout_keep_alive
        self._head = Alarm(self.loop, self._seconds, self._give_up)
        self._rest = Alarm(self.loop, self._seconds, self._give_up)
        self._heads = 0
        self._lasting: LingeringTransport | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, unless there are too many, and wait for its first request."""
        self._lasting = LingeringTransport(transport, self.loop, self._seconds, self._still_sends)
        super().connection_made(cast(asyncio.Transport, self._lasting))
        _send_at_once(transport)
        if self._most is not None and len(self.connections) > self._most:
            self.connections.discard(self)
            self._say_and_close(busy())
        else:
            self._head.set()

    def data_received(self, data: bytes) -> None:
        """Take what a client sends, unless it is not listened to any more."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        self._set_clocks()

    def on_response_complete(self) -> None:
        """Go on with the next request; the rest of this one's body is waited for, but not long."""
        super().on_response_complete()
        if self._still_sends():
            self._rest.set()
        self._set_clocks()

    def send_400_response(self, msg: str) -> None:
        """Answer what cannot be read, and listen no more."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._say_and_close(Refusal(self._read.refused_as, "This request cannot be read."))
        else:  # an answer is on its way, and nothing can be said besides
            self._give_up()

    def pause_writing(self) -> None:
        """Wait for a client to read on."""
        super().pause_writing()
        if self._lasting:
            self._lasting.watch_reader()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        super().connection_lost(exc)
        self._head.unset()
        self._rest.unset()
        self._unset_keepalive_if_required()
        if self._lasting:
            self._lasting.forget()

    def _set_clocks(self) -> None:
        if self._heads != self._read.heads or self.conn.their_state is not h11.IDLE:
            self._head.unset()
        self._heads = self._read.heads
        if self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]:
            self._head.set()
        if not self._still_sends():
            self._rest.unset()

    def _still_sends(self) -> bool:
        return self.conn.their_state in (h11.SEND_BODY, h11.ERROR)

    def _say_and_close(self, refusal: Refusal) -> None:
        self.transport.write(bare_answer(refusal))
        self.transport.close()
        if self.cycle and not self.cycle.response_complete:
            # Whoever works on the request hears that nobody waits for it any more.
            self.cycle.disconnected = True
            self.cycle.message_event.set()

    def _give_up(self) -> None:
        self.transport.abort()


def _send_at_once(transport: asyncio.Transport) -> None:
    """Do not let an answer's body wait until the client has confirmed its head, 40 ms later.

    asyncio sees to it only for sockets that were made with the protocol's number.
    """
    peer: socket.socket | None = transport.get_extra_info("socket")
    if peer is not None and peer.family in (socket.AF_INET, socket.AF_INET6):
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
