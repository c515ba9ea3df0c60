"""Talking to people: everything on stderr, so that stdout stays clean for pipes."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

console = Console(stderr=True, highlight=False, emoji=False)


def say(text: str, style: str | None = None) -> None:
    """Print one line for people, exactly as it is; a terminal's edge parts it between words."""
    console.print(text, style=style, markup=False, soft_wrap=not console.is_terminal)


@contextmanager
def progress_bar(title: str, total: int, done: int = 0) -> Iterator["Bar"]:
    """Show how far a long job is; silent where nobody looks."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(title, total=total, completed=done, note="")
        yield Bar(progress, task)


class Bar:
    """The moving part of a progress display."""

    def __init__(self, progress: Progress, task: "object") -> None:
        self._progress = progress
        self._task = task

    def advance(self, by: int = 1, note: str | None = None) -> None:
        """Move on, with a few words about how it goes."""
        if note is None:
            self._progress.update(self._task, advance=by)  # type: ignore[arg-type]
        else:
            self._progress.update(self._task, advance=by, note=note)  # type: ignore[arg-type]
