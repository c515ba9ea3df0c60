"""The scheduler: one thread that runs all inference of the process, a short step at a time.

    requests ─▶ work queues (one for each network) ─▶ the scheduler: a step of each queue that has
                                                       work, one after the other, again and again

A step is short: one batch, or one token for every text that is being generated. So no request waits
for the whole of another one, and the networks need no locks.
"""

import logging
import threading
import time
from typing import Protocol

log = logging.getLogger("dragoman.server")


class WorkQueue(Protocol):
    """Requests for one network."""

    def has_work(self) -> bool:
        """Say whether there is anything to do."""

    def step(self) -> None:
        """Do a short piece of the work."""

    def close(self) -> None:
        """Fail all requests: there will be no more steps."""


class Scheduler:
    """Steps the work queues round robin, on a thread of its own."""

    def __init__(self) -> None:
        self.busy_seconds = 0.0
        """How long all steps together have taken."""
        self._queues: list[WorkQueue] = []
        self._new_work = threading.Condition()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="scheduler", daemon=True)

    def add(self, queue: WorkQueue) -> None:
        """Step a queue from now on."""
        with self._new_work:
            self._queues.append(queue)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def wake(self) -> None:
        """Say that there is new work."""
        with self._new_work:
            self._new_work.notify()

    def stop(self, timeout: float) -> None:
        """Finish what was accepted, within some seconds; what is not done by then fails."""
        with self._new_work:
            self._stopping = True
            self._new_work.notify()
        if self._thread.is_alive():
            self._thread.join(timeout)
        for queue in self._queues:
            queue.close()

    @property
    def alive(self) -> bool:
        """Whether the thread is running."""
        return self._thread.is_alive()

    def _run(self) -> None:
        while True:
            with self._new_work:
                while not any(queue.has_work() for queue in self._queues):
                    if self._stopping:
                        return
                    self._new_work.wait()
                queues = [queue for queue in self._queues if queue.has_work()]
            for queue in queues:
                began = time.perf_counter()
                try:
                    queue.step()
                except Exception:  # a queue reports to its own clients; the others go on
                    log.exception("a step of the scheduler failed")
                self.busy_seconds += time.perf_counter() - began
