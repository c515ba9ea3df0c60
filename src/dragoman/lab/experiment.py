"""An experiment: claims of the notes, trials that put them to the test, and a verdict on each.

A trial is one configuration with one seed, say; the runner keeps the result of every trial that is
done. The verdicts are computed from the results, so that they can fall either way.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from dragoman.config.settings import Settings
from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis
from dragoman.lab.results import Measurement, Results

if TYPE_CHECKING:
    from dragoman.lab.runner import TrialRunner

Size = Literal["quick", "full"]


class NoOptions(Settings):
    """The options of an experiment that has none."""


Options = TypeVar("Options", bound=Settings)


@dataclass(frozen=True)
class ResultTable:
    """A table of results, ready to be printed."""

    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    note: str = ""


@dataclass(frozen=True)
class Result:
    """The result of an experiment: its measurements, verdicts and tables."""

    measurements: Results
    verdicts: Sequence[ClaimVerdict]
    tables: Sequence[ResultTable]
    summary: Measurement = field(default_factory=dict)
    """Figures over all measurements, for programs."""


@dataclass(frozen=True)
class Experiment(Generic[Options]):
    """One experiment: its file has an `EXPERIMENT` of this kind."""

    name: str
    title: str
    hypotheses: tuple[ExperimentHypothesis, ...]
    options: type[Options]
    """Settings of its own; each field becomes an option of `dragoman lab run`."""
    measure: "Callable[[TrialRunner, Options], Result]"
    draw: Callable[[Result, Path], None]
    """Draw the result as a PNG at a path."""
    seeds: tuple[int, ...] = (1, 2, 3)
    quick_seeds: tuple[int, ...] = (1,)
    needs: tuple[str, ...] = ()
    """Entries of the data catalogue without which it cannot run."""
    ids: tuple[str, ...] = ()
    """The numbers of the claims that it covers; by default, those of its own claims."""

    def __post_init__(self) -> None:
        if not self.ids:
            named = dict.fromkeys(number for one in self.hypotheses for number in one.ids)
            object.__setattr__(self, "ids", tuple(named))

    def seeds_for(self, size: Size) -> tuple[int, ...]:
        """Return the seeds that are used by default."""
        return self.seeds if size == "full" else self.quick_seeds
