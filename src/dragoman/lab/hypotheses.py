"""Hypotheses of experiments: claims of the course notes that trainings put to the test."""

from dataclasses import dataclass

from dragoman.lab.power import Power
from dragoman.lab.verdict import Verdict as Verdict


@dataclass(frozen=True)
class ExperimentHypothesis:
    """What an experiment tests: one claim of the notes or several that stand or fall together."""

    ids: tuple[str, ...]
    """The claims, by their ids."""
    notes: str
    """As in "the notes say that …"."""
    power: Power | None = None
    """How many seeds it takes to decide; without an estimate, any number may."""


@dataclass(frozen=True)
class ClaimVerdict:
    """A verdict on a hypothesis, and why."""

    hypothesis: ExperimentHypothesis
    verdict: Verdict
    because: str
    """The numbers that it rests on, in a sentence."""
