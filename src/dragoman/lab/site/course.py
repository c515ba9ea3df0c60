"""The course as the report sees it: topics, and what was found on their claims."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from dragoman.lab.claims import Claim, MeasuredClaim
from dragoman.lab.records import ClaimRecord
from dragoman.lab.topic import Topic
from dragoman.lab.verdict import VERDICTS

NOT_RUN = "not run"
OUTCOMES = (*VERDICTS, NOT_RUN)
LOOKS = {"a convention": "convention", NOT_RUN: "unrun"}


class PageLinks(Protocol):
    """Where the pages of the course are: files of a site, or places in the studio."""

    def index(self) -> str:
        """Return the address of the list of topics."""

    def errata(self) -> str:
        """Return the address of what the notes have wrong."""

    def ids(self) -> str:
        """Return the address of the list of all claims."""

    def topic(self, topic: Topic, place: str = "") -> str:
        """Return the address of a topic, or of a place on its page."""


@dataclass(frozen=True)
class Course:
    """All topics, and the record of each claim that was checked."""

    topics: Sequence[Topic]
    records: Mapping[str, ClaimRecord]

    @property
    def claims(self) -> list[Claim]:
        """Every claim, topic by topic."""
        return [one for topic in self.topics for one in topic.claims]

    @property
    def checked(self) -> list[ClaimRecord]:
        """The records of these claims, and of no other."""
        return [self.records[one.id] for one in self.claims if one.id in self.records]

    def outcome(self, claim: Claim) -> str:
        """Return the verdict on a claim, or that it was not run."""
        record = self.records.get(claim.id)
        return NOT_RUN if record is None else record.verdict

    def outcomes(self, claims: Iterable[Claim]) -> dict[str, int]:
        """Return how many claims came to each outcome, in the order of verdicts."""
        counted = Counter(self.outcome(one) for one in claims)
        return {one: counted[one] for one in OUTCOMES if counted[one]}


def look_of(outcome: str) -> str:
    """Return the class of an outcome in the style sheet."""
    return LOOKS.get(outcome, outcome)


def badge(outcome: str) -> str:
    """Return the badge of an outcome."""
    return f'<span class="badge {look_of(outcome)}">{outcome}</span>'


def ways(claims: Iterable[Claim]) -> tuple[int, int]:
    """Return how many claims are checked by computing, and how many by experiments."""
    kinds = [isinstance(one, MeasuredClaim) for one in claims]
    return len(kinds) - sum(kinds), sum(kinds)
