"""TensorBoard's event file, written in this thread.

The writers of TensorBoard and torch write in a thread of their own, where the failure of a disk is
a traceback that nobody can catch.
"""

import os
import socket
import time
from collections.abc import Mapping
from pathlib import Path

from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter


class EventFile:
    """Scalars for TensorBoard; figures of `purge_step` and later in older files are void."""

    def __init__(self, folder: Path, purge_step: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        name = f"events.out.tfevents.{time.time():.6f}.{socket.gethostname()}.{os.getpid()}"
        self._records = RecordWriter((folder / name).open("wb", buffering=0))
        self._add(Event(file_version="brain.Event:2"))
        started = SessionLog(status=SessionLog.START)
        self._add(Event(step=purge_step, session_log=started))

    def write(self, step: int, figures: Mapping[str, float]) -> None:
        """Add the figures of a step, by name."""
        values = [Summary.Value(tag=name, simple_value=value) for name, value in figures.items()]
        self._add(Event(step=step, summary=Summary(value=values)))

    def close(self) -> None:
        """Close the file."""
        self._records.close()

    def _add(self, event: Event) -> None:
        event.wall_time = time.time()
        self._records.write(event.SerializeToString())
