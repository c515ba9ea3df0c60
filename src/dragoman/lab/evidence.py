"""Evidence on a claim: the criteria of a check, and the verdict that follows from them.

A check computes numbers and compares them; it never names its verdict. What must hold for the notes
to be right as written is `stated`; where they are wrong, what must hold for the mended statement to
be right is `corrected`. Every criterion can fail, and the verdict falls with it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from dragoman.lab.verdict import Verdict
from dragoman.plots.lab import Bars, HeatMap, Panel

if TYPE_CHECKING:
    from torch import Tensor

Relation = Literal["=", "≠", "≤", "≥", "<", ">"]
Number: TypeAlias = "float | Tensor"
EXACT = 1e-10
"""How far two float64 computations of the same thing may lie apart."""


@dataclass(frozen=True)
class Criterion:
    """A criterion of a check: a number, and how it must stand to another."""

    name: str
    """What is compared, as a noun: "largest difference from autograd"."""
    value: float
    relation: Relation
    bound: float
    tolerance: float = 0.0
    """For = and ≠: how far apart is still equal."""

    @property
    def holds(self) -> bool:
        """Whether the relation is true; never of a value that is not a number."""
        if math.isnan(self.value) or math.isnan(self.bound):
            return False
        near = self.value == self.bound or abs(self.value - self.bound) <= self.tolerance
        return {
            "=": near,
            "≠": not near,
            "≤": self.value <= self.bound,
            "≥": self.value >= self.bound,
            "<": self.value < self.bound,
            ">": self.value > self.bound,
        }[self.relation]


def equal(name: str, value: Number, expected: Number, tolerance: float = EXACT) -> Criterion:
    """Compare two single numbers that should be the same."""
    return Criterion(name, float(value), "=", float(expected), tolerance)


def differ(name: str, value: Number, other: Number, tolerance: float = EXACT) -> Criterion:
    """Compare two single numbers that should not be the same."""
    return Criterion(name, float(value), "≠", float(other), tolerance)


def at_most(name: str, value: Number, bound: Number) -> Criterion:
    """Compare a number with its upper bound."""
    return Criterion(name, float(value), "≤", float(bound))


def at_least(name: str, value: Number, bound: Number) -> Criterion:
    """Compare a number with its lower bound."""
    return Criterion(name, float(value), "≥", float(bound))


def below(name: str, value: Number, bound: Number) -> Criterion:
    """Compare a number with one that it should stay below."""
    return Criterion(name, float(value), "<", float(bound))


def above(name: str, value: Number, bound: Number) -> Criterion:
    """Compare a number with one that it should exceed."""
    return Criterion(name, float(value), ">", float(bound))


def same(name: str, value: "Tensor", expected: "Tensor", tolerance: float = EXACT) -> Criterion:
    """Compare two tensors by their largest difference; of other shapes, it is infinite."""
    return Criterion(name, largest_difference(value, expected), "≤", tolerance)


def apart(name: str, value: "Tensor", other: "Tensor", at_least: float) -> Criterion:
    """Compare two tensors that should differ somewhere by at least so much."""
    return Criterion(name, largest_difference(value, other), "≥", at_least)


def largest_difference(first: "Tensor", second: "Tensor") -> float:
    """Return the largest absolute difference of two tensors, infinite where shapes differ."""
    if first.shape != second.shape:
        return math.inf
    if not first.numel():
        return 0.0
    gap = (first.detach().double() - second.detach().double()).abs()
    return float(gap.masked_fill(first == second, 0.0).max())  # equal infinities are no difference


@dataclass(frozen=True)
class Evidence:
    """What a check has found."""

    stated: Sequence[Criterion] = ()
    """What must hold for the notes to be right as written."""
    corrected: Sequence[Criterion] = ()
    """Where they are not: what must hold for the mended statement to be right."""
    conventions: Sequence[Criterion] = ()
    """What must hold for this and another way of writing it to be equally right."""
    premises: Sequence[Criterion] = ()
    """What must hold for the check to say anything at all."""
    numbers: Mapping[str, float | str] = field(default_factory=dict)
    """Further figures worth showing, which decide nothing."""
    plot: Sequence[Panel | Bars | HeatMap] = ()

    @property
    def criteria(self) -> list[Criterion]:
        """All criteria, those of the premises first."""
        return [*self.premises, *self.conventions, *self.stated, *self.corrected]

    @property
    def verdict(self) -> Verdict:
        """The verdict that follows from the criteria."""
        if not all(one.holds for one in self.premises):
            return "undecided"
        if self.conventions:
            return "a convention" if all(one.holds for one in self.conventions) else "refuted"
        if self.stated and all(one.holds for one in self.stated):
            return "confirmed"
        if self.corrected and all(one.holds for one in self.corrected):
            return "corrected"
        return "refuted" if self.stated else "undecided"
