"""Claims of the course notes, and the verdicts on them."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["confirmed", "refuted", "corrected", "a convention", "undecided"]


@dataclass(frozen=True)
class Claim:
    """A claim of the notes, in plain words."""

    ids: tuple[str, ...]
    """Its numbers in the list of claims."""
    notes: str
    """As in "the notes say that …"."""


@dataclass(frozen=True)
class ClaimVerdict:
    """A verdict on a claim, and why."""

    claim: Claim
    verdict: Verdict
    because: str
    """The numbers that it rests on, in a sentence."""
