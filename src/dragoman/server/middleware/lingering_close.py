"""Closing so that the last words are heard, and so that it has an end.

A socket that is closed while its client still sends loses what was just written to it: the client
would see a broken connection instead of the answer that its request is too large. So the way out is
closed first, and what still comes in is read and thrown away for a while.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from dragoman.server.middleware.timer import Alarm


class LingeringTransport:
    """A transport that hears a client out before it closes, but not for ever."""

    def __init__(
        self,
        inner: asyncio.Transport,
        loop: asyncio.AbstractEventLoop,
        seconds: float,
        still_sends: Callable[[], bool],
    ) -> None:
        self._inner = inner
        self._still_sends = still_sends
        self._lingers = False
        self._unsent = 0
        self._end = Alarm(loop, seconds, inner.abort)
        self._stuck = Alarm(loop, seconds, self._look_if_stuck)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def is_closing(self) -> bool:
        """Say whether nothing more is to be said or heard."""
        return self._lingers or self._inner.is_closing()

    def write(self, data: bytes) -> None:
        """Send something, unless the last words have been said."""
        if not self._lingers:
            self._inner.write(data)

    def close(self) -> None:
        """Close as soon as all is sent; if the client still sends, when it has done so."""
        if self.is_closing():
            return
        self.watch_reader()
        if not self._still_sends() or not self._inner.can_write_eof():
            self._inner.close()
            return
        self._lingers = True
        self._inner.write_eof()
        self._inner.resume_reading()
        self._end.set()

    def watch_reader(self) -> None:
        """Be gone if the client reads nothing of what waits for it."""
        self._stuck.unset()
        self._unsent = self._inner.get_write_buffer_size()
        if self._unsent:
            self._stuck.set()

    def forget(self) -> None:
        """Stop all clocks; the connection is no more."""
        self._end.unset()
        self._stuck.unset()

    def _look_if_stuck(self) -> None:
        # If it was read meanwhile and filled again, this watch was begun anew with the filling.
        if self._inner.get_write_buffer_size() < self._unsent:
            self.watch_reader()
        else:
            self._inner.abort()
