"""A timer that fires once, unless it is stopped before."""

import asyncio
from collections.abc import Callable


class Alarm:
    """Call something after some seconds of waiting."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, seconds: float, ring: Callable[[], None]
    ) -> None:
        self._loop = loop
        self._seconds = seconds
        self._ring = ring
        self._handle: asyncio.TimerHandle | None = None

    def set(self) -> None:
        """Start to wait; if that was done already, it goes on as it is."""
        if self._handle is None:
            self._handle = self._loop.call_later(self._seconds, self._rung)

    def unset(self) -> None:
        """Wait no more."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _rung(self) -> None:
        self._handle = None
        self._ring()
