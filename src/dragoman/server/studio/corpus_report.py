"""The corpus report of a run, as it was written when the run was prepared."""

import re
from pathlib import Path
from typing import Any

from dragoman.data.corpus.doctor.report import CorpusReport
from dragoman.data.corpus.split_file import NAME
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.server.studio.safe_reading import plain, read_json

FOLDER_PATHS = re.compile(r"(?<![\w.:/])/(?:[^\s/:\"'()]+/)+")
"""The path of a file, up to its name."""


def corpus_findings(folder: RunFolder) -> dict[str, Any]:
    """Return the findings of the corpus check, and how many pairs each set has."""
    try:
        report = CorpusReport.from_json(read_json(folder.doctor))
    except ValueError:  # there is no report
        return {"findings": [], "pairs": _pairs(read_json(folder.data / NAME))}
    findings = [
        {**one.to_json(), "file": Path(one.file).name, "example": plain(one.example)}
        for one in report.findings
    ]
    return {"findings": findings, "pairs": report.pairs}


def _pairs(split: Any) -> dict[str, int]:
    """Return the sizes of the sets of a split."""
    if not isinstance(split, dict):
        return {}
    tests = split.get("test_pairs")
    sizes = {"train": split.get("train_pairs"), "valid": split.get("valid_pairs")}
    sizes |= tests if isinstance(tests, dict) else {}
    return {str(plain(name)): size for name, size in sizes.items() if type(size) is int}


def preparation_notes(folder: RunFolder) -> list[str]:
    """Return the notes on how the text was prepared."""
    split = read_json(folder.data / NAME)
    notes = split.get("findings") if isinstance(split, dict) else None
    lines = [plain(line) for line in notes] if isinstance(notes, list) else []
    return [without_folders(line) for line in lines if isinstance(line, str)]


def without_folders(text: str) -> str:
    """Replace paths in a text by file names: clients must not learn the server's folders."""
    return FOLDER_PATHS.sub("", text)
