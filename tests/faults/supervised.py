"""Trials in a process of their own: one that hangs, dies or fills the memory is seen as such."""

import multiprocessing
import resource
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from tests.faults.campaign import LONGEST, MOST_MEMORY


class Outcome(NamedTuple):
    """How a trial ended."""

    trial: int
    failure: str | None
    refused: bool = False


Trial = Callable[[int], tuple[str | None, bool]]
"""From the number of a trial to what went wrong with it, if anything did, and whether it ended with
an error of ours."""


def supervised(trial: Trial, numbers: Iterable[int]) -> Iterator[Outcome]:
    """Run trials one after the other in a forked process, in a new one after each that hangs."""
    context = multiprocessing.get_context("fork")
    left = list(numbers)
    while left:
        ours, theirs = context.Pipe(duplex=False)
        worker = context.Process(target=_work, args=(trial, left, theirs), daemon=True)
        worker.start()
        theirs.close()
        done = 0
        while done < len(left):
            try:
                if not ours.poll(LONGEST):
                    worker.kill()
                    yield Outcome(left[done], f"a hang of more than {LONGEST:.0f} s")
                    break
                yield ours.recv()
            except EOFError:
                worker.join()
                yield Outcome(left[done], f"the process died ({worker.exitcode})")
                break
            done += 1
        left = left[done + 1 :]
        worker.join()
        ours.close()


def _work(trial: Trial, numbers: list[int], results: Connection) -> None:
    most = MOST_MEMORY + _address_space()  # what was imported before the fork is not the trial's
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    for number in numbers:
        try:
            outcome = Outcome(number, *trial(number))
        except BaseException as error:  # MemoryError too: whatever a reader lets out is a failure
            outcome = Outcome(number, _told(error))
        results.send(outcome)


def _address_space() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()


def _told(error: BaseException) -> str:
    place = error.__traceback__
    while place and place.tb_next:
        place = place.tb_next
    where = f"{place.tb_frame.f_code.co_filename}:{place.tb_lineno}" if place else "?"
    return f"{type(error).__name__}: {str(error)[:200]} ({where})"
