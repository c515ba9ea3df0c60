"""A one-shot timer."""

import asyncio
from collections.abc import Callable


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
