r"""Claims of the course notes: each one a statement and the check that decides on it.

    @claim("E101", "The Hadamard product multiplies entry by entry.", r"(a \odot b)_i = a_i b_i")
    def hadamard_product(settings: VectorSettings) -> Evidence: ...

An exact claim is checked by computing; a measured one by the trainings of an experiment.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, get_type_hints

from dragoman.config.settings import Settings
from dragoman.lab.evidence import Evidence


class NoParameters(Settings):
    """The parameters of a claim that has none."""


Parameters = TypeVar("Parameters", bound=Settings)


@dataclass(frozen=True)
class Claim:
    """A claim of the notes, in our words."""

    id: str
    statement: str
    """What is true, in a sentence or two; `$…$` is mathematics."""
    equation: str
    """The same as an equation, in LaTeX; empty where there is none."""
    notes: str
    """What the notes say instead, where that is wrong or imprecise; else empty."""


@dataclass(frozen=True)
class ExactClaim(Claim, Generic[Parameters]):
    """A claim that is checked by computing, in milliseconds to seconds."""

    parameters: type[Parameters]
    """Settings with bounds and defaults: options of the command, sliders of a page."""
    check: Callable[[Parameters], Evidence]

    @property
    def source(self) -> tuple[str, int]:
        """The module and the line of the check."""
        line = inspect.getsourcelines(self.check)[1]
        return self.check.__module__, line


@dataclass(frozen=True)
class MeasuredClaim(Claim):
    """A claim on which the verdict of an experiment decides."""

    experiment: str


def claim(
    id: str,
    statement: str,
    equation: str = "",
    *,
    notes: str = "",
) -> Callable[[Callable[[Parameters], Evidence]], ExactClaim[Parameters]]:
    """Make a claim of the check that follows; its parameters are those of its annotation."""

    def make(check: Callable[[Parameters], Evidence]) -> ExactClaim[Parameters]:
        hints: dict[str, Any] = get_type_hints(check)
        first = next(iter(inspect.signature(check).parameters))
        return ExactClaim(id, statement, equation, notes, hints[first], check)

    return make


def measured(
    id: str,
    statement: str,
    equation: str = "",
    *,
    experiment: str,
    notes: str = "",
) -> MeasuredClaim:
    """Return a claim that an experiment decides."""
    return MeasuredClaim(id, statement, equation, notes, experiment)
