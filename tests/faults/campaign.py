"""A campaign of faults: many trials of one kind, counted, and the judgement on each of them.

What is required of every trial: a right answer, or an error of ours in one line; never a traceback,
a silent change, a hang or too much memory.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

LONGEST = 5.0
"""Seconds that a process may go on after it met a fault; more is a hang."""
MOST_MEMORY = 1 << 30
"""Bytes that a process may have."""
EVERY = 500
"""Trials after which it is told how far a campaign is."""
MISTAKE = 2
"""The exit code of an error that the user can mend."""


@dataclass
class Tally:
    """The outcome of a campaign."""

    tried: int = 0
    refused: int = 0
    """Trials that ended with an error of ours; the others had a right answer."""
    failures: list[str] = field(default_factory=list)
    """What went wrong, one line each, with what repeats it."""

    def count(self, trial: str, failure: str | None, *, refused: bool = False) -> None:
        """Count one trial; `failure` says what was wrong with it, if anything was."""
        self.tried += 1
        self.refused += refused
        if failure:
            self.failures.append(f"{trial}: {failure}")
            print(f"  {self.failures[-1]}", file=sys.stderr, flush=True)
        if self.tried % EVERY == 0:
            print(f"{self.tried:,} tried, {len(self.failures)} failed", file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Campaign:
    """One row of the table: a kind of fault, and how it is tried."""

    name: str
    """What is tried, for people."""
    run: Callable[[int, int, Path], Tally]
    """From the number of trials, a seed and an empty folder to the tally; the same seed gives the
    same trials. A campaign that goes through all places there are takes every n-th of them when
    fewer are asked for."""
    proof: int
    """Trials in `make proof`."""
    sample: int
    """Trials in continuous integration."""


def told_in_one_line(said: str) -> str | None:
    """Say what is wrong with the words of a process that failed: one line, and ours."""
    if "Traceback" in said or "panicked" in said:
        return f"a traceback: {said.strip().splitlines()[-1][:200]}"
    ours = [line for line in said.splitlines() if line.startswith("dragoman: ")]
    if len(ours) != 1:
        return f"{len(ours)} lines of ours instead of one: {said[-300:]!r}"
    return None


def judge(code: int | None, said: str, peak: int = 0) -> str | None:
    """Say what is wrong with how a process ended; None for exit code 0 and for an error of ours.

    Whether the answer was right where the exit code is 0 is the campaign's to say.
    """
    if code is None:
        return f"a hang of more than {LONGEST:.0f} s: {said[-200:]!r}"
    if peak > MOST_MEMORY:
        return f"{peak / 2**20:,.0f} MiB of memory"
    if "Traceback" in said or "panicked" in said:
        return f"a traceback: {said.strip().splitlines()[-1][:200]}"
    if code == 0:
        return None
    if code != MISTAKE:
        return f"exit code {code}: {said[-200:]!r}"
    return told_in_one_line(said)


def spread(places: int, trials: int) -> Iterator[int]:
    """Return the numbers of at most so many places, evenly spread over all of them."""
    every = max(1, -(-places // trials))
    return iter(range(0, places, every))
