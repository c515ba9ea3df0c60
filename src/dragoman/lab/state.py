"""The state of the lab: the last record of every claim, and how many got which verdict."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from dragoman.lab.catalogue import claims
from dragoman.lab.claims import Claim
from dragoman.lab.execution import RECORDS
from dragoman.lab.measured_records import measured_records
from dragoman.lab.records import ClaimRecord, read_records
from dragoman.lab.verdict import VERDICTS, Verdict

PUBLISHED = Path(__file__).parent / "published.json"
"""The records of full runs of the experiments, which come with the package."""


def state_of(folder: Path) -> dict[str, ClaimRecord]:
    """Return the last record of each claim: of this folder, else what was published of it."""
    known = claims()
    found = {
        **published_records(),
        **(measured_records(folder, known.values()) if folder.is_dir() else {}),
        **read_records(folder / RECORDS),
    }
    return {id_: found[id_] for id_ in known if id_ in found}


@cache
def published_records() -> dict[str, ClaimRecord]:
    """Return the records that come with the package."""
    return read_records(PUBLISHED)


def count_verdicts(
    chosen: Iterable[Claim], records: Mapping[str, ClaimRecord]
) -> dict[Verdict, int]:
    """Count the verdicts on some claims; those without a record are not among them."""
    counts = Counter(records[one.id].verdict for one in chosen if one.id in records)
    return {verdict: counts[verdict] for verdict in VERDICTS}
