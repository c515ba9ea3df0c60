"""Texts with a class each, from a table: TSV, CSV or JSON lines."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from dragoman.core.errors import DataError
from dragoman.data.formats.findings import FindingKind, Findings
from dragoman.data.formats.json_lines import json_text
from dragoman.data.formats.languages import LanguagePair, list_names
from dragoman.data.formats.lines import note_repair, one_line, read_lines
from dragoman.data.formats.pair import Numbered
from dragoman.data.formats.read import format_of, read_rows

BREAKS = "\t\n\r"


class LabeledText(NamedTuple):
    """A text and its class, both on one line and without a tab."""

    text: str
    label: str


class LabelColumns(NamedTuple):
    """The names of the columns or keys of texts and classes."""

    text: str = "text"
    label: str = "label"


class RowFindings(Findings):
    """Findings that say of a wrong row what it should be."""

    def refuse(self, kind: FindingKind, path: Path, line: int, reason: str) -> None:
        """Refuse a line; readers of pairs speak of sources and targets."""
        if kind is FindingKind.COLUMNS and format_of(path) != "jsonl":
            reason = f"{reason} Here the source is a text, and the target its class."
        super().refuse(kind, path, line, reason)


def in_one_line(text: str) -> str:
    """Return a text as a classifier reads it: without line ends, tabs, and space around it."""
    return one_line(text, breaks=BREAKS).strip()


def read_labeled(
    path: Path, columns: LabelColumns, *, repair: bool, findings: Findings
) -> Iterator[tuple[int, LabeledText]]:
    """Yield the line and the content of each row; what lacks a text or a class is counted."""
    for number, text, label in _rows(path, columns, repair, findings):
        if text is None or label is None:
            findings.add(FindingKind.TOO_LONG_LINE, path, number)
            continue
        row = LabeledText(in_one_line(text), in_one_line(label))
        if all(row):
            yield number, row
        else:
            findings.add(FindingKind.EMPTY_SIDE, path, number)


def _rows(
    path: Path, columns: LabelColumns, repair: bool, findings: Findings
) -> Iterator[Numbered]:
    match format_of(path):
        case "tsv" | "csv":
            wanted = LanguagePair(*columns)
            return read_rows([path], repair=repair, findings=findings, wanted=wanted)
        case "jsonl":
            return _json_rows(path, columns, repair, findings)
        case other:
            raise DataError(
                f"{path}: {other.upper()} holds translations. Give texts and their classes as TSV, "
                "CSV or JSON lines."
            )


def _json_rows(
    path: Path, columns: LabelColumns, repair: bool, findings: Findings
) -> Iterator[Numbered]:
    for number, line in enumerate(read_lines(path, repair=repair, findings=findings), 1):
        if line is None:
            yield number, None, None
            continue
        if not line.strip():
            continue
        try:
            text, label = _values(json.loads(line), columns)
        except (ValueError, RecursionError) as error:
            reason = (
                f"{path}:{number}: no text and class in this line ({error or 'nested too deep'}). "
                "Name their keys as corpus.text and corpus.label."
            )
            findings.refuse(FindingKind.COLUMNS, path, number, reason)
            continue
        if "\0" in text + label:
            note_repair(FindingKind.NUL, "a NUL byte", path, number, repair, findings)
            text, label = text.replace("\0", ""), label.replace("\0", "")
        yield number, text, label


def _values(record: Any, columns: LabelColumns) -> tuple[str, str]:
    if not isinstance(record, dict):
        raise ValueError("not a JSON object")
    missing = [key for key in columns if key not in record]
    if missing:
        found = list_names(map(repr, record))
        raise ValueError(f"it has no {missing[0]!r}; its keys are {found or 'none'}")
    text, label = (record[key] for key in columns)
    if isinstance(label, int):  # classes are often numbers
        label = json.dumps(label)
    return json_text(text), json_text(label)
