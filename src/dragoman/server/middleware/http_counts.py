"""Reading HTTP with a count of requests, and of the chunks of each body."""

import h11

FREE_PIECES = 1000
SMALLEST_PIECE = 64
"""Bytes that the pieces of a chunked body have on average; smaller ones only cost time to read."""


class CountedConnection(h11.Connection):
    """A connection as h11 reads it, which refuses what h11 would bear."""

    def __init__(self, largest_head: int) -> None:
        super().__init__(h11.SERVER, largest_head)
        self.heads = 0
        """How many requests have begun."""
        self.refused_as = 400
        """The status of the answer to what was refused."""
        self._pieces = 0
        self._bytes = 0

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        """Return the next thing that a client says, as h11 does."""
        try:
            event = super().next_event()
            self._count(event)
        except h11.RemoteProtocolError as error:
            self.refused_as = 431 if error.error_status_hint == 431 else 400
            raise
        return event

    def _count(self, event: object) -> None:
        if isinstance(event, h11.Request):
            self.heads += 1
            self._pieces = self._bytes = 0
        elif isinstance(event, h11.Data):
            self._pieces += 1
            self._bytes += len(event.data)
            if self._pieces > FREE_PIECES + self._bytes // SMALLEST_PIECE:
                raise h11.RemoteProtocolError("the pieces of the body are too small")
