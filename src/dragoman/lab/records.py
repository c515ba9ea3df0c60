"""Records of claims: what the last check of each has found, and the file that keeps them.

The report and the studio are built from these records, and never run a check themselves.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, TypeAdapter

from dragoman.config.settings import Settings
from dragoman.core.bounded_read import read_bounded
from dragoman.core.errors import RunError
from dragoman.core.files import write_atomic
from dragoman.engine.runtime import software_versions
from dragoman.lab.claims import ExactClaim
from dragoman.lab.evidence import Criterion, Evidence, Relation
from dragoman.lab.verdict import Verdict
from dragoman.plots.lab import Bars, HeatMap, Panel

CriterionGroup = Literal["premises", "conventions", "stated", "corrected"]
FORMAT, VERSION = "dragoman-lab-records", 1
LARGEST_FILE = 64 * 1024 * 1024
ADVICE = "Remove it, and run the lab again."


class RecordSettings(Settings):
    """The base of what is stored: infinite numbers and those that are none stay what they are."""

    model_config = ConfigDict(allow_inf_nan=True)


class CriterionRecord(RecordSettings):
    """One criterion of a check as it came out."""

    group: CriterionGroup
    name: str
    value: float
    relation: Relation
    bound: float
    tolerance: float = 0.0
    holds: bool


class ExperimentFinding(RecordSettings):
    """Where the verdict on a measured claim comes from."""

    experiment: str
    size: str
    seeds: tuple[int, ...]
    because: str
    """The numbers that it rests on, in a sentence."""


class ClaimRecord(RecordSettings):
    """What the last check of a claim has found: by computing, or by an experiment."""

    id: str
    verdict: Verdict
    seconds: float
    when: datetime
    versions: dict[str, str]
    """The software that it was run with, by name."""
    parameters: dict[str, Any] = {}
    criteria: tuple[CriterionRecord, ...] = ()
    numbers: dict[str, float | str] = {}
    plot: tuple[Panel | Bars | HeatMap, ...] = ()
    finding: ExperimentFinding | None = None
    """Of a measured claim."""


def record_of(
    claim: ExactClaim[Any], parameters: Settings, evidence: Evidence, seconds: float
) -> ClaimRecord:
    """Return the record of a check that has just been run."""
    return ClaimRecord(
        id=claim.id,
        verdict=evidence.verdict,
        seconds=seconds,
        when=datetime.now(UTC).replace(microsecond=0),
        versions=versions(),
        parameters=parameters.model_dump(mode="json"),
        criteria=tuple(_criteria(evidence)),
        numbers={name: _number(value) for name, value in evidence.numbers.items()},
        plot=tuple(map(_plain, evidence.plot)),
    )


def versions() -> dict[str, str]:
    """Return the software of this process, without the machine's own particulars."""
    told = software_versions(1)
    return {"dragoman": told.dragoman, "python": told.python, "torch": told.torch}


def write_records(path: Path, records: Mapping[str, ClaimRecord]) -> None:
    """Write records into a file, in one step."""
    tree = {
        "format": FORMAT,
        "version": VERSION,
        "records": [one.model_dump() for one in records.values()],
    }
    write_atomic(path, json.dumps(tree, default=datetime.isoformat, ensure_ascii=False) + "\n")


def read_records(path: Path) -> dict[str, ClaimRecord]:
    """Read the records of a file by the ids of their claims; of no file, there are none."""
    if not path.exists():
        return {}
    try:
        tree = json.loads(read_bounded(path, LARGEST_FILE))
        if tree["format"] != FORMAT or tree["version"] != VERSION:
            raise ValueError(f"format {tree['format']!r}, version {tree['version']!r}")
        found = TypeAdapter(list[ClaimRecord]).validate_python(tree["records"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        why = next(iter(str(error).splitlines()), type(error).__name__)
        raise RunError(f"{path}: not records that can be read ({why}). {ADVICE}") from None
    return {one.id: one for one in found}


def _criteria(evidence: Evidence) -> Iterator[CriterionRecord]:
    groups: dict[CriterionGroup, Sequence[Criterion]] = {
        "premises": evidence.premises,
        "conventions": evidence.conventions,
        "stated": evidence.stated,
        "corrected": evidence.corrected,
    }
    for group, criteria in groups.items():
        for one in criteria:
            yield CriterionRecord(
                group=group,
                name=one.name,
                value=float(one.value),
                relation=one.relation,
                bound=float(one.bound),
                tolerance=float(one.tolerance),
                holds=one.holds,
            )


def _number(value: float | str) -> float | str:
    """Return a figure as a plain number; checks may give what only behaves like one."""
    return value if isinstance(value, str) else float(value)


def _plain(panel: Panel | Bars | HeatMap) -> Panel | Bars | HeatMap:
    """Return a panel in plain lists of plain numbers, whatever sequences it was made of."""
    match panel:
        case Panel():
            lines = [
                replace(line, places=_floats(line.places), values=_rows(line.values))
                for line in panel.lines
            ]
            return replace(panel, lines=lines)
        case Bars():
            return replace(panel, labels=list(panel.labels), values=_rows(panel.values))
        case HeatMap():
            columns, rows = list(panel.columns), list(panel.rows)
            return replace(panel, values=_rows(panel.values), columns=columns, rows=rows)


def _floats(values: Sequence[float]) -> list[float]:
    return [float(value) for value in values]


def _rows(rows: Sequence[Sequence[float]]) -> list[list[float]]:
    return [_floats(row) for row in rows]
