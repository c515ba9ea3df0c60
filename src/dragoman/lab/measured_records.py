"""Records of measured claims, from the results that experiments have left in a folder."""

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dragoman.core.bounded_read import read_bounded
from dragoman.core.errors import RunError
from dragoman.lab.claims import Claim, MeasuredClaim
from dragoman.lab.records import ClaimRecord, ExperimentFinding
from dragoman.lab.report import RESULT

LARGEST_RESULT = 64 * 1024 * 1024
SHOWN_VERSIONS = ("dragoman", "python", "torch")


def measured_records(
    folder: Path,
    claims: Iterable[Claim],
    damaged: Callable[[RunError], None] | None = None,
) -> dict[str, ClaimRecord]:
    """Return what the experiments in the folders of a folder found on those claims they decide.

    Where an experiment was run twice, a full run outweighs a quick one, and a later an earlier.
    A result that cannot be read is told to `damaged` and passed over; without it, it is an error.
    """
    deciding = {one.id: one.experiment for one in claims if isinstance(one, MeasuredClaim)}
    found: list[ClaimRecord] = []
    for path in sorted(folder.glob(f"*/{RESULT}")):
        try:
            found += _records_in(path, deciding)
        except RunError as error:
            if damaged is None:
                raise
            damaged(error)
    return {one.id: one for one in sorted(found, key=_weight)}


def _weight(record: ClaimRecord) -> tuple[bool, datetime]:
    return record.finding is not None and record.finding.size == "full", record.when


def _records_in(path: Path, deciding: dict[str, str]) -> list[ClaimRecord]:
    try:
        tree = json.loads(read_bounded(path, LARGEST_RESULT))
        if not isinstance(tree, dict):
            raise ValueError("not an object")
        if tree.get("subject") not in deciding.values():
            return []
        return list(_findings(tree, deciding, path))
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        why = next(iter(str(error).splitlines()), type(error).__name__)
        raise RunError(
            f"{path}: not a result that can be read ({why}). Run its experiment again."
        ) from None


def _findings(tree: dict[str, Any], deciding: dict[str, str], path: Path) -> Iterator[ClaimRecord]:
    used = tree["versions"][-1] if tree["versions"] else {}
    for one in tree["findings"]:
        finding = ExperimentFinding(
            experiment=tree["subject"],
            size=tree["size"],
            seeds=tree["seeds"],
            because=one["because"],
        )
        for id_ in one["ledger"]:
            if deciding.get(id_) == tree["subject"]:
                yield ClaimRecord(
                    id=id_,
                    verdict=one["verdict"],
                    seconds=tree["seconds"],
                    when=datetime.fromtimestamp(int(path.stat().st_mtime), UTC),
                    versions={name: str(used[name]) for name in SHOWN_VERSIONS if name in used},
                    finding=finding,
                )
