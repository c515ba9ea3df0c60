"""The worker thread: all inference of the process, scheduled a turn at a time.

    requests ─▶ lanes (one for each network) ─▶ the worker thread: a turn of each lane that has
                                                 work, one after the other, again and again

A turn is short: one batch, or one token for every text that is being written. So nobody waits for
the whole of anybody else's work, and the networks need no locks.
"""

import logging
import threading
import time
from typing import Protocol

log = logging.getLogger("dragoman.server")


class Lane(Protocol):
    """Work of one kind."""

    def has_work(self) -> bool:
        """Say whether there is anything to do."""
        ...

    def turn(self) -> None:
        """Do a short piece of it."""
        ...

    def close(self) -> None:
        """Fail all that waits: there will be no more turns."""
        ...


class Engine:
    """Gives each lane its turn, on a thread of its own."""

    def __init__(self) -> None:
        self.busy_seconds = 0.0
        """How long turns have taken, all together."""
        self._lanes: list[Lane] = []
        self._news = threading.Condition()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)

    def add(self, lane: Lane) -> None:
        """Give a lane its turns from now on."""
        with self._news:
            self._lanes.append(lane)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def wake(self) -> None:
        """Say that there is new work."""
        with self._news:
            self._news.notify()

    def stop(self, patience: float) -> None:
        """Finish what was accepted, within some seconds; what is not done by then fails."""
        with self._news:
            self._stopping = True
            self._news.notify()
        if self._thread.is_alive():
            self._thread.join(patience)
        for lane in self._lanes:
            lane.close()

    @property
    def alive(self) -> bool:
        """Whether there is anybody to do the work."""
        return self._thread.is_alive()

    def _run(self) -> None:
        while True:
            with self._news:
                while not any(lane.has_work() for lane in self._lanes):
                    if self._stopping:
                        return
                    self._news.wait()
                lanes = [lane for lane in self._lanes if lane.has_work()]
            for lane in lanes:
                began = time.perf_counter()
                try:
                    lane.turn()
                except Exception:  # a lane tells its own clients; the others go on
                    log.exception("a turn of the engine failed")
                self.busy_seconds += time.perf_counter() - began
