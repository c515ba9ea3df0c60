"""Progress of a long job: what is done, of how much, and how long the rest will take."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn
from rich.progress import TimeElapsedColumn as Elapsed
from rich.progress import TimeRemainingColumn as Remaining

from dragoman.core.duration import written

FIRST, LONGEST = 10.0, 60.0
"""Seconds before the first line of a job, and between two lines at most: each waits twice as long
as the one before it, so that an hour is about sixty lines, whatever the steps are."""


class Bar(Protocol):
    """The moving part of a progress display."""

    def advance(self, by: int = 1, note: str | None = None) -> None:
        """Move on, with a few words about how it goes."""
        ...


class LineBar:
    """Progress for a log file or a pipe: a line now and then, none for what is done at once."""

    def __init__(self, say: Callable[[str], None], title: str, total: int, done: int = 0) -> None:
        self._say, self._title, self._total = say, title, total
        self._begun_with = self._done = done
        self._began = self._said = monotonic()
        self._wait = FIRST

    def advance(self, by: int = 1, note: str | None = None) -> None:
        """Move on; say so if the last line is long ago."""
        self._done += by
        now = monotonic()
        if now - self._said < self._wait:
            return
        self._said, self._wait = now, min(2 * self._wait, LONGEST)
        parts = [self._count(), *([note] if note else []), *self._times(now - self._began)]
        self._say(f"{self._title}: {', '.join(parts)}")

    def _count(self) -> str:
        if not self._total:
            return f"{self._done:,} done"
        return f"{self._done:,} of {self._total:,} ({self._done / self._total:.0%})"

    def _times(self, elapsed: float) -> list[str]:
        left = self._total - self._done
        times = [f"{written(elapsed)} elapsed"]
        if left > 0 and self._done > self._begun_with:
            rest = elapsed / (self._done - self._begun_with) * left
            times.append(f"about {written(rest)} left")
        return times


class TerminalBar:
    """Progress for a terminal, drawn by rich."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress, self._task = progress, task

    def advance(self, by: int = 1, note: str | None = None) -> None:
        """Move on."""
        if note is None:
            self._progress.update(self._task, advance=by)
        else:
            self._progress.update(self._task, advance=by, note=note)


@contextmanager
def terminal_bar(console: Console, title: str, total: int, done: int) -> Iterator[TerminalBar]:
    """Show a bar, with names for both times; without a total, a count."""
    count = "{task.completed:,}/{task.total:,}" if total else "{task.completed:,}"
    columns = [
        TextColumn("{task.description}"),
        *([BarColumn()] if total else []),
        TextColumn(count),
        TextColumn("{task.fields[note]}"),
        TextColumn("elapsed"),
        Elapsed(),
        *([TextColumn("left"), Remaining()] if total else []),
    ]
    with Progress(*columns, console=console) as progress:
        task = progress.add_task(title, total=total or None, completed=done, note="")
        yield TerminalBar(progress, task)
