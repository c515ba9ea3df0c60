"""What an experiment is: statements of the notes, something to measure, and a verdict on each.

A subject measures in units (one configuration and one seed, say); the bench keeps every unit that
is done. The verdicts are computed from the rows, so that they can fall either way.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from dragoman.config.settings import Settings

if TYPE_CHECKING:
    from dragoman.lab.bench import Bench

Size = Literal["quick", "full"]
Verdict = Literal["confirmed", "refuted", "corrected", "a convention", "undecided"]
Row = dict[str, Any]
"""What one unit gave: plain JSON values by name."""


class NoOptions(Settings):
    """The options of a subject that has none."""


Options = TypeVar("Options", bound=Settings)


@dataclass(frozen=True)
class Claim:
    """Something that the notes say, in plain words."""

    ledger: tuple[str, ...]
    """Its rows in the ledger of statements."""
    notes: str
    """As in "the notes say that …"."""


@dataclass(frozen=True)
class ClaimVerdict:
    """What became of a claim, and why."""

    statement: Claim
    verdict: Verdict
    because: str
    """The numbers that it rests on, in a sentence."""


@dataclass(frozen=True)
class ResultTable:
    """Numbers to read, ready to be printed."""

    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    note: str = ""


@dataclass(frozen=True)
class Result:
    """All that an experiment found."""

    rows: Sequence[Row]
    findings: Sequence[ClaimVerdict]
    tables: Sequence[ResultTable]
    summary: Row = field(default_factory=dict)
    """Figures over all rows, for programs."""


@dataclass(frozen=True)
class Subject(Generic[Options]):
    """One experiment: its file has a `SUBJECT` of this kind."""

    name: str
    title: str
    statements: tuple[Claim, ...]
    options: type[Options]
    """Settings of its own; each field becomes an option of `dragoman lab run`."""
    measure: "Callable[[Bench, Options], Result]"
    draw: Callable[[Result, Path], None]
    """Draw the result as a PNG at a path."""
    seeds: tuple[int, ...] = (1, 2, 3)
    quick_seeds: tuple[int, ...] = (1,)
    ledger: tuple[str, ...] = ()
    """The rows of the ledger that it covers; unless given, those of its statements."""

    def __post_init__(self) -> None:
        if not self.ledger:
            named = dict.fromkeys(row for one in self.statements for row in one.ledger)
            object.__setattr__(self, "ledger", tuple(named))

    def seeds_for(self, size: Size) -> tuple[int, ...]:
        """Return the seeds that are used where none are asked for."""
        return self.seeds if size == "full" else self.quick_seeds
