"""Pairs of sentences, from one file of any common format or from two files line by line."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Literal

from dragoman.core.errors import DataError
from dragoman.data.formats.compression import bare_name
from dragoman.data.formats.findings import FindingKind, Findings
from dragoman.data.formats.gettext_files import read_mo, read_po
from dragoman.data.formats.json_lines import read_json_lines
from dragoman.data.formats.languages import LanguagePair
from dragoman.data.formats.lines import note_repair, read_lines
from dragoman.data.formats.pair import Numbered, Pair
from dragoman.data.formats.table import read_csv, read_tsv

Format = Literal["tsv", "csv", "jsonl", "po", "mo", "tmx", "xliff"]
Choice = Literal["auto", "tsv", "csv", "jsonl", "po", "mo", "tmx", "xliff"]

ENDINGS: dict[str, Format] = {
    ".tsv": "tsv",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".po": "po",
    ".mo": "mo",
    ".gmo": "mo",
    ".tmx": "tmx",
    ".xlf": "xliff",
    ".xliff": "xliff",
    ".sdlxliff": "xliff",
    ".mxliff": "xliff",
    ".mqxliff": "xliff",
}
WHOLE = ("jsonl", "po", "mo", "tmx", "xliff")
"""Formats that hold both sides, so that two files of them are a mistake."""

ENDED = object()


def read_pairs(
    files: Sequence[Path],
    *,
    longest: int,
    repair: bool,
    findings: Findings,
    format: Choice = "auto",
    wanted: LanguagePair | None = None,
) -> Iterator[Pair]:
    """Yield the pairs of one file or of two parallel files, in order, without changing them.

    Pairs with a side longer than `longest` characters or with nothing but space on a side are
    dropped and counted. Whatever would shift the sides against each other raises a DataError.
    """
    rows = read_rows(files, repair=repair, findings=findings, format=format, wanted=wanted)
    for number, source, target in rows:
        if source is None or target is None or len(source) > longest or len(target) > longest:
            guilty = files[0] if source is None or len(source) > longest else files[-1]
            findings.add(FindingKind.TOO_LONG, guilty, number)
        elif not source.strip() or not target.strip():
            guilty = files[-1] if source.strip() else files[0]
            findings.add(FindingKind.EMPTY_SIDE, guilty, number)
        else:
            yield Pair(source, target)


def read_rows(
    files: Sequence[Path],
    *,
    repair: bool,
    findings: Findings,
    format: Choice = "auto",
    wanted: LanguagePair | None = None,
) -> Iterator[Numbered]:
    """Yield every pair with its line or entry number, empty and over-long ones too.

    Two files are always plain text; `format` and the languages are for a single file.
    """
    if len(files) == 2:
        return _parallel(files, repair, findings)
    if len(files) != 1:
        raise DataError(
            f"a corpus is one TSV file or two plain files, not {len(files)}: "
            f"{', '.join(map(str, files))}. Give (source, target)."
        )
    chosen = format_of(files[0]) if format == "auto" else format
    rows = _single(files[0], chosen, repair, findings, wanted or LanguagePair())
    return _without_nul(files[0], rows, repair, findings) if chosen in WHOLE else rows


def format_of(path: Path) -> Format:
    """Say what a single file is by its name; what has no known ending is TSV."""
    return ENDINGS.get(bare_name(path).suffix.lower(), "tsv")


def _single(
    path: Path, chosen: Format, repair: bool, findings: Findings, wanted: LanguagePair
) -> Iterator[Numbered]:
    match chosen:
        case "tsv":
            return read_tsv(path, repair=repair, findings=findings)
        case "csv":
            return read_csv(path, repair=repair, findings=findings, wanted=wanted)
        case "jsonl":
            return read_json_lines(path, repair=repair, findings=findings, wanted=wanted)
        case "po":
            return read_po(path, repair=repair, findings=findings)
        case "mo":
            return read_mo(path)
    return _marked_up(path, chosen, wanted)


def _marked_up(
    path: Path, chosen: Literal["tmx", "xliff"], wanted: LanguagePair
) -> Iterator[Numbered]:
    # lxml takes a tenth of a second to load, and most corpora are plain
    from dragoman.data.formats.tmx import read_tmx
    from dragoman.data.formats.xliff import read_xliff

    read = read_tmx if chosen == "tmx" else read_xliff
    return read(path, wanted=wanted)


def _without_nul(
    path: Path, rows: Iterator[Numbered], repair: bool, findings: Findings
) -> Iterator[Numbered]:
    """Take away NULs that were written as escapes, which no reader of lines can see."""
    for number, source, target in rows:
        if source and target and "\0" in source + target:
            note_repair(FindingKind.NUL, "a NUL byte", path, number, repair, findings)
            yield number, source.replace("\0", ""), target.replace("\0", "")
        else:
            yield number, source, target


def _parallel(files: Sequence[Path], repair: bool, findings: Findings) -> Iterator[Numbered]:
    for path in files:
        if format_of(path) in WHOLE:
            raise DataError(
                f"{path}: a {format_of(path).upper()} file holds both sides. Give it alone, not "
                "as one of two files."
            )
    sides = [read_lines(path, repair=repair, findings=findings) for path in files]
    rows = zip_longest(*sides, fillvalue=ENDED)
    for number, (source, target) in enumerate(rows, 1):
        if source is ENDED or target is ENDED:
            total = number + sum(1 for _ in rows)
            counts = (number - 1, total) if source is ENDED else (total, number - 1)
            reason = (
                f"{files[0]} has {counts[0]:,} lines and {files[1]} has {counts[1]:,}. "
                "Line N of one must translate line N of the other; mend the shorter file."
            )
            findings.refuse(FindingKind.UNEQUAL, files[0 if source is ENDED else 1], number, reason)
            return
        yield number, _text(source), _text(target)


def _text(line: object) -> str | None:
    return line if isinstance(line, str) else None
