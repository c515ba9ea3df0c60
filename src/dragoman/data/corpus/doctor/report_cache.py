"""Reports that are kept: files that have not changed need not be examined again.

A report is known by the content of the files and by the settings that the doctor looks at. What
cannot be read back is made anew, and what cannot be kept is not: no training fails for its cache.
"""

import hashlib
import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from dragoman.config.corpus import FilesCorpus
from dragoman.core.cache import cache_folder
from dragoman.core.errors import RunError
from dragoman.core.files import sha256, write_atomic
from dragoman.data.corpus.doctor.examine import examine, files_of
from dragoman.data.corpus.doctor.report import CorpusReport

DOCTOR = 1
"""Raised when the doctor sees more or judges otherwise, so that older reports are not used."""

MOST = 100
"""Reports that are kept; the one unused for longest goes first."""


def examine_once(settings: FilesCorpus) -> CorpusReport:
    """Examine a corpus, or give the report of the last time if nothing has changed since."""
    key = _key(settings)
    if key is None:
        return examine(settings)
    path = cache_folder() / "doctor" / f"{key}.json"
    report = _kept(path, _paths(settings))
    if report is None:
        report = examine(settings)
        if _key(settings) == key:  # nobody wrote while the doctor was reading
            with suppress(OSError, RunError):
                _keep(path, _paths(settings), report)
    return report


def _paths(settings: FilesCorpus) -> list[str]:
    return [str(path) for some in files_of(settings).values() for path in some]


def _key(settings: FilesCorpus) -> str | None:
    """Return a name for the content of the files and the settings; None if one cannot be read."""
    told = settings.model_dump(
        include={"format", "source_language", "target_language", "max_characters", "repair"}
    )
    try:
        content = {
            name: [[_ending(path), _checksum(path)] for path in some]
            for name, some in files_of(settings).items()
        }
    except OSError:
        return None
    whole = json.dumps([DOCTOR, told, content], sort_keys=True)
    return hashlib.sha256(whole.encode()).hexdigest()


def _checksum(path: Path) -> str:
    if not path.is_file():
        raise FileNotFoundError(path)  # or a pipe, and reading that may wait for ever
    return sha256(path)


def _ending(path: Path) -> str:
    """Return what the format and the packing are told by."""
    return "".join(path.suffixes[-2:])


def _kept(path: Path, now: list[str]) -> CorpusReport | None:
    """Read a report back; the same files may have another name by now."""
    try:
        record = json.loads(path.read_bytes())
        report = CorpusReport.from_json(record["report"])
        then = [str(name) for name in record["files"]]
        moved = dict(zip(then, now, strict=True))
        findings = [replace(one, file=Path(moved[str(one.file)])) for one in report.findings]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    if then != now and (report.refused or len(moved) < len(now)):
        return None  # what a refusal says may name the files, and one file may be two by now
    with suppress(OSError):
        path.touch()
    return replace(report, findings=findings)


def _keep(path: Path, names: list[str], report: CorpusReport) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    record = {"files": names, "report": report.to_json()}
    write_atomic(path, json.dumps(record, indent=1))
    others = sorted(path.parent.iterdir(), key=lambda file: file.stat().st_mtime, reverse=True)
    for old in others[MOST:]:
        old.unlink()
