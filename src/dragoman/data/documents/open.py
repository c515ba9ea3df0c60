"""A file to be translated, opened as what its name says it is."""

import errno
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from dragoman.core.bounded_read import read_bounded
from dragoman.core.errors import DataError
from dragoman.data.documents.document import MOST_SEGMENTS, Document
from dragoman.data.documents.table import TableColumns
from dragoman.data.formats.languages import LanguagePair, plain

LARGEST = 256 * 1024 * 1024
"""Bytes; a file is held whole, several times over."""

Reader = Callable[[bytes, str, LanguagePair, int], Document]

FORMATS: dict[str, tuple[str, ...]] = {
    "po": (".po", ".pot"),
    "mo": (".mo", ".gmo"),
    "xliff": (".xlf", ".xliff", ".sdlxliff", ".mxliff", ".mqxliff"),
    "tmx": (".tmx",),
    "json": (".json", ".arb"),
    "yaml": (".yaml", ".yml"),
    "subtitles": (".srt", ".vtt"),
    "html": (".html", ".htm", ".xhtml"),
    "markdown": (".md", ".markdown"),
    "docx": (".docx",),
    "tsv": (".tsv",),
    "csv": (".csv",),
}
"""Endings of names; whatever has none of them is plain text."""

BY_ENDING = {ending: name for name, endings in FORMATS.items() for ending in endings}
MODULES = {"json": "json_strings", "yaml": "yaml_strings"}
"""Where the reader of a format stands, if not in a file of its name."""

BILINGUAL = frozenset(("po", "mo", "xliff", "tmx"))
"""Formats that hold a translation beside each text."""

ELSEWHERE = {
    ".doc": "DOCX",
    ".odt": "DOCX",
    ".rtf": "DOCX",
    ".pdf": "plain text or DOCX",
    ".pptx": "plain text",
    ".xlsx": "CSV",
    ".xls": "CSV",
    ".ods": "CSV",
    ".epub": "HTML",
}
"""What is not read, and what to save it as."""


def format_of(path: Path) -> str:
    """Say what a file is by its name."""
    ending = path.suffix.lower()
    if ending in ELSEWHERE:
        raise DataError(f"{path}: {ending} files are not read. Save it as {ELSEWHERE[ending]}.")
    return BY_ENDING.get(ending, "plain")


def open_document(
    path: Path, wanted: LanguagePair, columns: TableColumns | None = None
) -> Document:
    """Read a file whole and take it apart; the file itself is never changed."""
    try:
        data = read_bounded(path, LARGEST)
    except OSError as error:
        raise _unreadable(path, error) from error
    return read_document(format_of(path), data, str(path), wanted, columns)


def _unreadable(path: Path, error: OSError) -> DataError:
    if error.errno == errno.EFBIG:
        return DataError(f"{path}: is {error.strerror}. Cut it into smaller files.")
    return DataError(f"{path}: cannot be read ({error.strerror or error}).")


def read_document(
    format: str,
    data: bytes,
    name: str,
    wanted: LanguagePair,
    columns: TableColumns | None = None,
    *,
    most_segments: int = MOST_SEGMENTS,
) -> Document:
    """Take a file apart that is in memory; one of more texts than `most_segments` is refused.

    The reader stops at the first text too many, before the rest of the file is taken apart.
    """
    if format in ("tsv", "csv"):
        from dragoman.data.documents.table import read_csv, read_tsv

        read = read_tsv if format == "tsv" else read_csv
        return read(data, name, columns or TableColumns(), wanted, most_segments)
    return _reader(format)(data, name, wanted, most_segments)


def _reader(format: str) -> Reader:
    """Return who reads a format; lxml and others are loaded only where they are needed."""
    module = import_module(f"dragoman.data.documents.{MODULES.get(format, format)}")
    reader: Reader = getattr(module, f"read_{format}")
    return reader


def translated_name(path: Path, wanted: LanguagePair) -> Path:
    """Return what a translated file is called: letter.txt, letter.hi.txt; en.json, hi.json."""
    *before, ending = path.name.split(".") if path.suffix else (path.name, "")
    target = plain(wanted.target)
    if before and plain(before[-1]) == plain(wanted.source):
        before[-1] = target
    else:
        before.append(target)
    return path.with_name(".".join([*before, ending] if ending else before))
