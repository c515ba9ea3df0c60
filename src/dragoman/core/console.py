"""Talking to people: everything on stderr, so that stdout stays clean for pipes."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

from dragoman.core.progress import Bar, LineBar, terminal_bar

console = Console(stderr=True, highlight=False, emoji=False)


def say(text: str, style: str | None = None) -> None:
    """Print one line for people, exactly as it is; a terminal's edge parts it between words."""
    console.print(text, style=style, markup=False, soft_wrap=not console.is_terminal)


@contextmanager
def progress_bar(title: str, total: int, done: int = 0) -> Iterator[Bar]:
    """Show how far a long job is: a bar in a terminal, else a line now and then.

    A total of 0 is unknown, and then what is done is counted.
    """
    if console.is_terminal:
        with terminal_bar(console, title, total, done) as bar:
            yield bar
    else:
        yield LineBar(say, title, total, done)
