"""Pairs in a table: TSV, exactly one tab a line; CSV as spreadsheets write it."""

import csv
import re
from collections.abc import Iterator
from pathlib import Path

from dragoman.core.errors import DataError
from dragoman.data.formats.findings import FindingKind, Findings
from dragoman.data.formats.languages import LanguagePair, choose
from dragoman.data.formats.lines import one_line, read_lines
from dragoman.data.formats.pair import Numbered

QUOTED = re.compile(r'(?:^|(?<=[,;]))"(?:[^"]|"")*+"?')
HEADERS = (("source", "target"), ("src", "tgt"), ("src", "trg"))


def read_tsv(path: Path, *, repair: bool, findings: Findings) -> Iterator[Numbered]:
    """Yield the two columns of each line; nothing is quoted and nothing is a header."""
    for number, line in enumerate(read_lines(path, repair=repair, findings=findings), 1):
        if line is None:
            yield number, None, None
            continue
        columns = line.split("\t")
        if len(columns) == 2:
            yield number, columns[0], columns[1]
        else:
            reason = f"{path}:{number}: {_wrong_columns(len(columns))}"
            findings.refuse(FindingKind.COLUMNS, path, number, reason)


def _wrong_columns(count: int) -> str:
    if count == 1:
        return "no tab. A line of a TSV corpus is SOURCE, one tab, TARGET."
    return (
        f"{count} columns, where a TSV corpus has two. "
        "Keep the columns of the source and the target: cut -f1,2 OLD > NEW"
    )


def read_csv(
    path: Path, *, repair: bool, findings: Findings, wanted: LanguagePair
) -> Iterator[Numbered]:
    """Yield two columns of each row: those a header names as source and target, or the first two.

    A cell may hold several lines within quotation marks; the number is that of the row's last line.
    """
    lines = _whole_lines(path, repair, findings)
    first = next(lines)
    reader = csv.reader(_chained(first, lines), delimiter=csv_delimiter(first), strict=True)
    width, columns = 0, (0, 1)
    try:
        for row in reader:
            if not row:
                continue
            if not width:
                width, named = len(row), _named_columns(row, wanted)
                if named:
                    columns = named
                    continue
            if len(row) != width or width < 2:
                _refuse_row(path, reader.line_num, len(row), width, findings)
                continue
            yield reader.line_num, one_line(row[columns[0]]), one_line(row[columns[1]])
    except csv.Error as error:
        raise DataError(
            f"{path}:{reader.line_num}: not CSV ({error}). Is a quotation mark not closed, or not "
            "doubled inside a cell?"
        ) from error


def csv_delimiter(first_line: str) -> str:
    """Return what parts the cells of a CSV file: semicolons if its first line has no comma."""
    bare = QUOTED.sub("", first_line)
    return ";" if "," not in bare and ";" in bare else ","


def _refuse_row(path: Path, line: int, count: int, width: int, findings: Findings) -> None:
    reason = (
        f"{path}:{line}: {count} columns, where a source and a target are needed and the first row "
        f"has {width}. Put quotation marks around a cell with a comma in it."
    )
    findings.refuse(FindingKind.COLUMNS, path, line, reason)


def _named_columns(row: list[str], wanted: LanguagePair) -> tuple[int, int] | None:
    names = [cell.strip().casefold() for cell in row]
    for source, target in HEADERS:
        if source in names and target in names:
            return names.index(source), names.index(target)
    codes = [name for name in names if name.replace("-", "").replace("_", "").isalpha()]
    ours = [choose(wanted.source, codes), choose(wanted.target, codes)]
    if not wanted.told or None in ours or ours[0] == ours[1]:
        return None
    return names.index(str(ours[0])), names.index(str(ours[1]))


def _whole_lines(path: Path, repair: bool, findings: Findings) -> Iterator[str]:
    lines = read_lines(path, repair=repair, findings=findings, crlf=True)  # as RFC 4180 has it
    for number, line in enumerate(lines, 1):
        if line is None:
            raise DataError(f"{path}:{number}: a line of more than 16 MiB. Is this a CSV file?")
        yield line + "\n"


def _chained(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest
