"""Lingering close: the last response arrives, however much its client still sends.

A socket that is closed while its client still sends loses what was just written to it: the client
would see a broken connection instead of the response that its request is too large. So the sending
side is shut down first, and what still comes is read and discarded for a while.
"""

import asyncio
from collections.abc import Callable
from typing import Any


class Timer:
    """Calls a function after some seconds, unless it is cancelled before."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, seconds: float, callback: Callable[[], None]
    ) -> None:
        self._loop = loop
        self._seconds = seconds
        self._callback = callback
        self._handle: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Start the timer; one that runs already is not restarted."""
        if self._handle is None:
            self._handle = self._loop.call_later(self._seconds, self._fire)

    def cancel(self) -> None:
        """Cancel the timer."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _fire(self) -> None:
        self._handle = None
        self._callback()


class LingeringTransport:
    """A transport with lingering close, and a timeout for clients that do not read."""

    def __init__(
        self,
        inner: asyncio.Transport,
        loop: asyncio.AbstractEventLoop,
        seconds: float,
        client_is_sending: Callable[[], bool],
    ) -> None:
        self._inner = inner
        self._client_is_sending = client_is_sending
        self._lingering = False
        self._unsent = 0
        self._close_timer = Timer(loop, seconds, inner.abort)
        self._read_timer = Timer(loop, seconds, self._check_progress)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def is_closing(self) -> bool:
        """Say whether the transport is closing or lingering."""
        return self._lingering or self._inner.is_closing()

    def write(self, data: bytes) -> None:
        """Write data, unless the transport lingers."""
        if not self._lingering:
            self._inner.write(data)

    def close(self) -> None:
        """Close as soon as all is sent and the client has finished sending."""
        if self.is_closing():
            return
        self.watch_client()
        if not self._client_is_sending() or not self._inner.can_write_eof():
            self._inner.close()
            return
        self._lingering = True
        self._inner.write_eof()
        self._inner.resume_reading()
        self._close_timer.start()

    def watch_client(self) -> None:
        """Abort if the client reads nothing of the write buffer in time."""
        self._read_timer.cancel()
        self._unsent = self._inner.get_write_buffer_size()
        if self._unsent:
            self._read_timer.start()

    def cancel_timers(self) -> None:
        """Cancel all timers, once the connection is lost."""
        self._close_timer.cancel()
        self._read_timer.cancel()

    def _check_progress(self) -> None:
        # Where the buffer was read and filled again meanwhile, filling it has restarted this timer.
        if self._inner.get_write_buffer_size() < self._unsent:
            self.watch_client()
        else:
            self._inner.abort()
