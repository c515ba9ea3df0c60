"""The HTTP protocol: uvicorn's own, with limits against slow clients (Slowloris).

What is limited here cannot be limited by the middleware, which sees whole requests alone: the
number of connections, the time that headers take and their size, how small the chunks of a body may
be, and how long a client may take to read its response.

The limits are those of uvicorn's configuration: `timeout_keep_alive` is how long a client may do
nothing, `limit_concurrency` how many connections there may be.
"""

import asyncio
import socket
from typing import Any, cast

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from dragoman.server.errors import ApiError, busy
from dragoman.server.middleware.error_responses import raw_response
from dragoman.server.middleware.lingering_close import LingeringTransport, Timer

MAX_HEADER_BYTES = 16 << 10
"""The default, where the configuration has none."""

FREE_CHUNKS = 1000
MIN_CHUNK_BYTES = 64
"""Average size of chunks beyond the first; smaller ones only cost time to parse."""


class LimitedH11Connection(h11.Connection):
    """h11's parser, which also refuses ambiguous framing and bodies of too many small chunks."""

    def __init__(self, max_header_bytes: int) -> None:
        super().__init__(h11.SERVER, max_header_bytes)
        self.requests = 0
        """How many requests have begun."""
        self.error_status = 400
        """The status of the response to an invalid request."""
        self._chunks = 0
        self._bytes = 0

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        """Return the next event, as h11 does."""
        try:
            event = super().next_event()
            self._check(event)
        except h11.RemoteProtocolError as error:
            self.error_status = 431 if error.error_status_hint == 431 else 400
            raise
        return event

    def _check(self, event: object) -> None:
        if isinstance(event, h11.Request):
            self.requests += 1
            self._chunks = self._bytes = 0
            _check_framing(event)
        elif isinstance(event, h11.Data):
            self._chunks += 1
            self._bytes += len(event.data)
            if self._chunks > FREE_CHUNKS + self._bytes // MIN_CHUNK_BYTES:
                raise h11.RemoteProtocolError("the pieces of the body are too small")


def _check_framing(request: h11.Request) -> None:
    """Refuse a request whose end a proxy may see elsewhere than we do (request smuggling).

    RFC 9112 §6.1 lets a server refuse these; that it closes the connection afterwards is required.
    """
    names = {name for name, _ in request.headers}
    if b"transfer-encoding" not in names:
        return
    if b"content-length" in names:
        raise h11.RemoteProtocolError("both Content-Length and Transfer-Encoding")
    if request.http_version < b"1.1":
        raise h11.RemoteProtocolError("Transfer-Encoding in HTTP/1.0")


class LimitedHttpProtocol(H11Protocol):
    """One HTTP/1.1 connection, with timeouts for headers, bodies and responses."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._parser = LimitedH11Connection(
            config.h11_max_incomplete_event_size or MAX_HEADER_BYTES
        )
        self.conn = self._parser
        # uvicorn would refuse requests on too many connections, but keep the connections.
        self._max_connections, self.limit_concurrency = config.limit_concurrency, None
        self._seconds = config.timeout_keep_alive
        self._header_timer = Timer(self.loop, self._seconds, self._abort)
        self._body_timer = Timer(self.loop, self._seconds, self._abort)
        self._requests = 0
        self._lingering: LingeringTransport | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept a connection, unless there are too many, and wait for its first request."""
        self._lingering = LingeringTransport(
            transport, self.loop, self._seconds, self._client_is_sending
        )
        super().connection_made(cast(asyncio.Transport, self._lingering))
        _disable_nagle(transport)
        if self._max_connections is not None and len(self.connections) > self._max_connections:
            self.connections.discard(self)
            self._respond_and_close(busy())
        else:
            self._header_timer.start()

    def data_received(self, data: bytes) -> None:
        """Parse what a client sends, unless the connection is closing."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        self._update_timers()

    def on_response_complete(self) -> None:
        """Go on with the next request, once the rest of this one's body has come."""
        super().on_response_complete()
        if self._client_is_sending():
            self._body_timer.start()
        self._update_timers()

    def send_400_response(self, msg: str) -> None:
        """Respond to an invalid request, and close."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._respond_and_close(
                ApiError(self._parser.error_status, "This request cannot be read.")
            )
        else:  # a response is being sent, and no other can be
            self._abort()

    def pause_writing(self) -> None:
        """Start the timeout of a client that does not read its response."""
        super().pause_writing()
        if self._lingering:
            self._lingering.watch_client()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel all timers."""
        super().connection_lost(exc)
        self._header_timer.cancel()
        self._body_timer.cancel()
        self._unset_keepalive_if_required()
        if self._lingering:
            self._lingering.cancel_timers()

    def _update_timers(self) -> None:
        if self._requests != self._parser.requests or self.conn.their_state is not h11.IDLE:
            self._header_timer.cancel()
        self._requests = self._parser.requests
        if self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]:
            self._header_timer.start()
        if not self._client_is_sending():
            self._body_timer.cancel()

    def _client_is_sending(self) -> bool:
        return self.conn.their_state in (h11.SEND_BODY, h11.ERROR)

    def _respond_and_close(self, error: ApiError) -> None:
        self.transport.write(raw_response(error))
        self.transport.close()
        if self.cycle and not self.cycle.response_complete:
            # The route that handles the request learns that the client has disconnected.
            self.cycle.disconnected = True
            self.cycle.message_event.set()

    def _abort(self) -> None:
        self.transport.abort()


def _disable_nagle(transport: asyncio.Transport) -> None:
    """Set TCP_NODELAY: else the body of a response waits 40 ms for an ACK of its headers.

    asyncio sets it only for sockets that were made with the protocol's number.
    """
    peer: socket.socket | None = transport.get_extra_info("socket")
    if peer is not None and peer.family in (socket.AF_INET, socket.AF_INET6):
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
