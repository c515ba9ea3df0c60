"""Claims and topics of the lab as text for a terminal."""

from collections.abc import Mapping
from inspect import getfile
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import Any

from dragoman.core.figures import count_text
from dragoman.lab.catalogue import claims
from dragoman.lab.claims import Claim, ExactClaim, MeasuredClaim
from dragoman.lab.equations import to_text
from dragoman.lab.evidence import EXACT
from dragoman.lab.markup import plain_text
from dragoman.lab.records import ClaimRecord, CriterionRecord
from dragoman.lab.topic import Topic

WIDEST = 100
GROUPS = {
    "premises": "Presupposed",
    "conventions": "Both ways of writing it",
    "stated": "As the notes have it",
    "corrected": "Mended",
}


def print_claim(claim: Claim, record: ClaimRecord | None) -> None:
    """Print a claim: statement, equation, what the notes say, numbers and verdict."""
    _print_filled(f"{claim.id}: {plain_text(claim.statement)}")
    if claim.equation:
        print(f"\n    {to_text(claim.equation)}")
    if claim.notes:
        print()
        _print_filled(f"The notes say that {plain_text(claim.notes)}")
    if record is None:
        print(f"\nNot run yet: {command_of(claim)}")
        return
    if record.finding is not None:
        _print_finding(record)
    _print_criteria(record)
    for name, value in record.numbers.items():
        print(f"  {name}: {value if isinstance(value, str) else count_text(value)}")
    print(f"\nVerdict: {record.verdict}")
    if isinstance(claim, ExactClaim):
        _print_parameters(claim, record)


def print_topic(topic: Topic, records: Mapping[str, ClaimRecord]) -> None:
    """Print a topic: its introduction, and a line for each claim."""
    print(f"{topic.id} {topic.name}: {topic.title}\n")
    _print_filled(plain_text(topic.introduction))
    for section in topic.sections:
        print(f"\n{section.title}" if section.title else "")
        for one in section.claims:
            print(f"  {claim_line(one, records.get(one.id))}")
    print(f"\nRun it: dragoman lab run {topic.id}    see a claim: dragoman lab show ID")


def claim_line(claim: Claim, record: ClaimRecord | None) -> str:
    """Return a claim as one line: id, verdict, the beginning of its statement."""
    verdict = "not run" if record is None else record.verdict
    room = max(40, min(get_terminal_size().columns, WIDEST)) - 26
    words = plain_text(claim.statement)
    if len(words) > room:
        words = f"{words[: room - 1].rsplit(' ', 1)[0]}…"
    return f"{claim.id.ljust(5)} {verdict.ljust(13)} {words}"


def command_of(claim: Claim) -> str:
    """Return the command that runs a claim."""
    if isinstance(claim, MeasuredClaim):
        return f"dragoman lab run {claim.experiment}"
    if isinstance(claim, ExactClaim) and claim.id not in claims():
        return f"dragoman lab run {Path(getfile(claim.check)).name} {claim.id}"
    return f"dragoman lab run {claim.id}"


def _print_finding(record: ClaimRecord) -> None:
    finding: Any = record.finding
    seeds = ", ".join(map(str, finding.seeds))
    print()
    _print_filled(finding.because)
    _print_filled(f"(experiment {finding.experiment}, {finding.size}, seeds {seeds})")


def _print_criteria(record: ClaimRecord) -> None:
    for group, title in GROUPS.items():
        found = [one for one in record.criteria if one.group == group]
        if found:
            print(f"\n{title}")
        for one in found:
            print(f"  {'holds' if one.holds else 'FAILS'}  {_criterion(one)}")


def _criterion(one: CriterionRecord) -> str:
    loose = one.tolerance > EXACT and one.relation in "=≠"
    near = f" (within {count_text(one.tolerance)})" if loose else ""
    return f"{one.name}: {count_text(one.value)} {one.relation} {count_text(one.bound)}{near}"


def _print_parameters(claim: ExactClaim[Any], record: ClaimRecord) -> None:
    own = [f"--{key.replace('_', '-')} {value}" for key, value in record.parameters.items()]
    if own:
        print(f"Run it with other parameters: {command_of(claim)} {' '.join(own)}")


def _print_filled(text: str) -> None:
    width = max(40, min(get_terminal_size().columns, WIDEST))
    print(fill(text, width, break_on_hyphens=False, break_long_words=False))
