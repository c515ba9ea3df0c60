"""Continuous batching: between two steps of a batch, requests join and leave it.

A request joins as soon as there is room and leaves when it is finished or cancelled, whatever the
others do. So a short text never waits for a long one.
"""

import logging
from abc import ABC, abstractmethod
from collections.abc import Sized
from typing import Any, Generic, TypeVar

from dragoman.neural.decoding.protocol import ContinuousBatch

log = logging.getLogger("dragoman.server")

Output = TypeVar("Output")


class ContinuousBatchQueue(ABC, Generic[Output]):
    """A work queue that steps a continuous batch."""

    batch: ContinuousBatch[Any, Output]
    _running: Sized

    def step(self) -> None:
        """Remove what was cancelled, add what there is room for, and step the batch."""
        self._remove_cancelled()
        try:
            self._add_waiting()
            output = self.batch.step()
        except Exception as error:
            log.exception("a step of %d texts failed", len(self._running))
            self.batch.clear()
            self._fail(error)
            return
        self._deliver(output)

    @abstractmethod
    def _remove_cancelled(self) -> None: ...

    @abstractmethod
    def _add_waiting(self) -> None: ...

    @abstractmethod
    def _deliver(self, output: Output) -> None: ...

    @abstractmethod
    def _fail(self, error: Exception) -> None: ...
