"""Ctrl-C and SIGTERM: finish the step, store it, and leave."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupted(BaseException):  # noqa: N818 - the user's wish, not an error
    """Raised where it is safe to leave; no `except Exception` on the way takes it for an error."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.exit_code = 128 + number


class Interruption:
    """Whether somebody has asked the run to stop."""

    def __init__(self) -> None:
        self.number: int | None = None
        self.at_once = True
        """Leave wherever the signal strikes; until the first step there is nothing to store."""

    def check(self, *_: object) -> None:
        """Leave if asked to; called where nothing would be lost."""
        if self.number is not None:
            raise Interrupted(self.number)


@contextmanager
def listen() -> Iterator[Interruption]:
    """Note signals instead of dying of them; a second one ends the process at once."""
    interruption = Interruption()

    def note(number: int, _: FrameType | None) -> None:
        interruption.number = number
        signal.signal(number, signal.SIG_DFL)
        if interruption.at_once:
            raise Interrupted(number)

    kept = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            kept[number] = signal.signal(number, note)
        except ValueError:  # not in the main thread: the caller decides about signals
            continue
    try:
        yield interruption
    except Exception as error:
        # Code in C may take the exception of a signal for one of its own: torch, while it reads a
        # tensor, raises a ValueError about the shape instead.
        if interruption.at_once and interruption.number is not None:
            raise Interrupted(interruption.number) from error
        raise
    finally:
        interruption.at_once = False  # or a signal between these lines would leave one unrestored
        for number, handler in kept.items():
            signal.signal(number, handler)
