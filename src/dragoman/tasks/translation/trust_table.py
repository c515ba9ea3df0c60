"""Confidence and robustness of a translator, as tables of its card.

Both are kept in files of their own beside scores.json, whose tokens are test sets.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dragoman.core.bounded_read import read_bounded
from dragoman.core.checksums import LARGEST, check_seal
from dragoman.core.errors import DataError
from dragoman.engine.checkpoint.folder import RunFolder


def trust_tables(folder: RunFolder) -> str:
    """Return what is known of a run's confidence and robustness; nothing where nothing is."""
    known = [
        _read(folder.confidence, lambda stored: _confidence(stored, folder)),
        _read(folder.robustness, _robustness),
    ]
    return "\n\n".join(part for part in known if part)


def _read(path: Path, lay_out: Callable[[Any], str]) -> str:
    if not path.is_file():
        return ""
    try:
        stored = json.loads(read_bounded(path, LARGEST))
        check_seal(stored)
        return lay_out(stored)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(f"{path}: cannot be read ({error}). Remove it.") from None


def _confidence(stored: dict[str, Any], folder: RunFolder) -> str:
    rows = [
        "## Confidence",
        "",
        f"The probability that a translation has chrF ≥ {stored['good']:g}, fitted on "
        f"{stored['pairs']:,} validation pairs and checked on the test sets. The error is the "
        "expected calibration error (15 bins); the column after it is what a perfectly calibrated "
        "model would show.",
        "",
        "| test set | pairs | good translations | calibration error | if perfect | Brier score |",
        "|---|---|---|---|---|---|",
    ]
    for name, one in stored["checked"].items():
        rows.append(
            f"| {name} | {one['pairs']:,} | {100 * one['good']:.1f} % | {one['error']:.3f} "
            f"| {one['by_chance']:.3f} | {one['brier']:.3f} |"
        )
    if folder.reliability.exists():
        rows += ["", "![Reliability diagram](reliability.png)"]
    return "\n".join(rows)


def _robustness(stored: dict[str, Any]) -> str:
    rows = [
        "## Robustness",
        "",
        f"Test sets with typical noise (seed {stored['seed']}, {stored['how']}). Differences are "
        "in chrF, to the case in the last column.",
        "",
        "| case | lines | chrF | difference | loops | hallucinations | empty | compared with |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in stored["cases"]:
        apart = "" if one["difference"] is None else f"{one['difference']:+.1f}"
        rows.append(
            f"| {one['name']} | {one['lines']} | {one['chrf']:.1f} | {apart} | {one['loops']} "
            f"| {one['hallucinations']} | {one['empty']} | {one['compared_with']} |"
        )
    return "\n".join(rows)
