"""Execution of exact claims: run their checks one after the other, and keep the records."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dragoman.config.settings import Settings
from dragoman.core.files import explain_full_disk, explain_write_error
from dragoman.lab.claims import ExactClaim
from dragoman.lab.records import ClaimRecord, read_records, record_of, write_records
from dragoman.plots.lab import draw_panels

RECORDS = "claims.json"
PLOTS = "plots"


def run_claim(claim: ExactClaim[Any], parameters: Settings | None = None) -> ClaimRecord:
    """Run the check of a claim, by default with its default parameters."""
    chosen = parameters or claim.parameters()
    began = time.perf_counter()
    evidence = claim.check(chosen)
    return record_of(claim, chosen, evidence, time.perf_counter() - began)


def run_claims(
    claims: Sequence[ExactClaim[Any]], after_each: Callable[[], object] = lambda: None
) -> dict[str, ClaimRecord]:
    """Run the checks of some claims, each with its default parameters."""
    records = {}
    for one in claims:
        records[one.id] = run_claim(one)
        after_each()
    return records


def store_records(folder: Path, records: Mapping[str, ClaimRecord]) -> None:
    """Add records to those of a folder; one of the same claim takes its place."""
    with explain_write_error(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with explain_full_disk(folder):
        path = folder / RECORDS
        write_records(path, {**read_records(path), **records})


def draw_plot(folder: Path, claim: ExactClaim[Any], record: ClaimRecord) -> Path | None:
    """Draw the plot of a claim as a PNG in a folder; nothing where it has none."""
    if not record.plot:
        return None
    path = folder / PLOTS / f"{claim.id}.png"
    with explain_write_error(folder):
        path.parent.mkdir(parents=True, exist_ok=True)
    draw_panels(record.plot, path, claim.id)
    return path
