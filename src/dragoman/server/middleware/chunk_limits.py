"""Limits of chunked transfer encoding, and a count of requests on a connection."""

import h11

FREE_CHUNKS = 1000
MIN_CHUNK_BYTES = 64
"""Average size of chunks beyond the first; smaller ones only cost time to parse."""


class LimitedH11Connection(h11.Connection):
    """h11's parser, which also refuses bodies of too many small chunks."""

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
            self._count(event)
        except h11.RemoteProtocolError as error:
            self.error_status = 431 if error.error_status_hint == 431 else 400
            raise
        return event

    def _count(self, event: object) -> None:
        if isinstance(event, h11.Request):
            self.requests += 1
            self._chunks = self._bytes = 0
        elif isinstance(event, h11.Data):
            self._chunks += 1
            self._bytes += len(event.data)
            if self._chunks > FREE_CHUNKS + self._bytes // MIN_CHUNK_BYTES:
                raise h11.RemoteProtocolError("the pieces of the body are too small")
