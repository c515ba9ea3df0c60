"""Tables: TSV, where nothing is quoted, and CSV as spreadsheets write it.

    en,hi                     the first row names columns if a column is asked for by its name,
    Open,खोलें                 or if one is called like the source language
    "Save, then quit",

The texts are those of the source column; what stands in the target column is their translation.
Without a target column each row gets one more cell.
"""

import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from dragoman.core.errors import DataError
from dragoman.data.documents.document import (
    MOST_SEGMENTS,
    BoundedList,
    Document,
    Segment,
    SegmentTranslation,
    Slot,
    TextFile,
    TextSlot,
)
from dragoman.data.documents.text_decoding import decode_text, has_letters, storable
from dragoman.data.formats.languages import LanguagePair, choose
from dragoman.data.formats.table import csv_delimiter

SOURCES = ("source", "src")
TARGETS = ("target", "tgt", "trg")
MOST_COLUMNS = 16_384
"""As many as spreadsheets have."""
NOT_IN_TSV = re.compile("[\t\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")


class TableColumns(NamedTuple):
    """The columns of a table: a name in the first row, or a number counted from 1."""

    source: str = ""
    """Empty: the only column, or the one called like the source language."""
    target: str = ""
    """Empty: the one called like the target language, or else a new one at the end."""


class TableCell(NamedTuple):
    """A cell and where it stands, quotation marks included."""

    begin: int
    end: int
    text: str


class TableRow(NamedTuple):
    """A row with at least one cell that is not empty."""

    line: int
    cells: list[TableCell]

    @property
    def end(self) -> int:
        """The end of its last cell."""
        return self.cells[-1].end


@dataclass(frozen=True)
class Dialect:
    """The dialect of a table: delimiter and quotes."""

    delimiter: str
    quotes: bool

    def written(self, text: str, quoted: bool = False) -> str:
        """Return the text of a cell; in TSV tabs and line breaks become spaces."""
        text = storable(text)
        if not self.quotes:
            return NOT_IN_TSV.sub(" ", text)
        special = any(sign in text for sign in ',;"\n\r')  # whichever of the two is the delimiter
        if quoted or special or text != text.strip():
            return '"' + text.replace('"', '""') + '"'
        return text

    def rewritten(self, text: str, raw: str) -> str:
        """Return the text of a cell, in quotation marks where it had them before."""
        return self.written(text, self.quotes and raw.startswith('"'))


def read_tsv(
    data: bytes, name: str, columns: TableColumns, wanted: LanguagePair, most: int = MOST_SEGMENTS
) -> Document:
    """Read a table with tabs between its cells."""
    text = decode_text(data, name)
    return _document(text, name, Dialect("\t", quotes=False), columns, wanted, most)


def read_csv(
    data: bytes, name: str, columns: TableColumns, wanted: LanguagePair, most: int = MOST_SEGMENTS
) -> Document:
    """Read a table with commas between its cells, or semicolons if its first line has no comma."""
    text = decode_text(data, name)
    delimiter = csv_delimiter(text.split("\n", 1)[0])
    return _document(text, name, Dialect(delimiter, quotes=True), columns, wanted, most)


def _document(
    text: str, name: str, dialect: Dialect, columns: TableColumns, wanted: LanguagePair, most: int
) -> Document:
    rows = _rows(text, name, dialect)
    first = next(rows, None)
    if first is None:
        return TextFile(text, (), ())
    source, target, has_header = _chosen(first, name, columns, wanted)
    segments = BoundedList[Segment](name, most)
    slots: list[Slot | TextSlot] = []
    ends, cells = array("Q"), list[str | int | None]()
    for row in chain([first], rows):
        ends.append(row.end)
        number = None
        if row is first and has_header:
            cells.append(wanted.target)
            continue
        if source < len(row.cells) and has_letters(row.cells[source].text):
            number = len(segments)
            has_target = target is not None and target != source and target < len(row.cells)
            existing = row.cells[target].text if has_target and target is not None else ""
            segments.append(
                Segment(row.cells[source].text, existing=existing, where=f"line {row.line}")
            )
            if target is not None:
                slots.append(_slot(text, row, target, number, dialect))
        cells.append(number)
    if target is not None:
        return TextFile(text, tuple(segments), tuple(slots))
    return WidenedTable(text, tuple(segments), dialect, ends, tuple(cells))


def _slot(text: str, row: TableRow, target: int, number: int, dialect: Dialect) -> Slot | TextSlot:
    missing = target - len(row.cells) + 1
    if missing <= 0:
        cell = row.cells[target]
        return TextSlot(text, cell.begin, cell.end, number, cell.text, dialect.rewritten)

    def write(answers: Mapping[int, SegmentTranslation]) -> str:
        answer = answers[number]
        return dialect.delimiter * missing + dialect.written(answer.text) if answer.sure else ""

    return Slot(row.end, row.end, (number,), write)


@dataclass(frozen=True)
class WidenedTable:
    """A table whose rows all get one more cell as soon as one text has an answer."""

    text: str
    segments: tuple[Segment, ...]
    dialect: Dialect
    ends: Sequence[int]
    cells: tuple[str | int | None, ...]
    """For each row the text of its new cell, or the number of the answer, or nothing."""

    def written(self, answers: Mapping[int, SegmentTranslation]) -> bytes:
        """Return the table with its new column."""
        if not any(answer.sure for answer in answers.values()):
            return self.text.encode()
        parts: list[str] = []
        done = 0
        for end, cell in zip(self.ends, self.cells, strict=True):
            parts += [self.text[done:end], self.dialect.delimiter, self._cell(cell, answers)]
            done = end
        return "".join([*parts, self.text[done:]]).encode()

    def _cell(self, cell: str | int | None, answers: Mapping[int, SegmentTranslation]) -> str:
        if isinstance(cell, int):
            answer = answers.get(cell)
            cell = answer.text if answer and answer.sure else None
        return self.dialect.written(cell) if cell else ""


def _chosen(
    row: TableRow, name: str, columns: TableColumns, wanted: LanguagePair
) -> tuple[int, int | None, bool]:
    """Return which columns are source and target, and whether the first row names them."""
    names = [cell.text.strip() for cell in row.cells]
    source = _asked(columns.source, names, name)
    target = _asked(columns.target, names, name)
    by_name = any(asked and not asked.isdecimal() for asked in columns)
    if source is None:
        source = _called(names, wanted.source, SOURCES)
        by_name = by_name or source is not None
    if source is None and len(names) == 1:
        source = 0
    if source is None:
        raise DataError(
            f"{name}:{row.line}: which column to translate is not clear; its columns are "
            f"{_listed(names)}. Name one, or give its number."
        )
    if target is None and by_name:
        target = _called(names, wanted.target, TARGETS)
    return source, target, by_name


def _asked(column: str, names: list[str], name: str) -> int | None:
    if not column:
        return None
    if column.isdecimal() and 0 < int(column[:9]) <= MOST_COLUMNS:
        return int(column[:9]) - 1
    folded = [found.casefold() for found in names]
    if column.casefold() not in folded:
        raise DataError(f"{name}:1: there is no column {column!r}; there are {_listed(names)}.")
    return folded.index(column.casefold())


def _called(names: list[str], language: str, others: tuple[str, ...]) -> int | None:
    folded = [name.casefold() for name in names]
    for other in others:
        if other in folded:
            return folded.index(other)
    code = choose(language, [name for name in names if name])
    return names.index(code) if code is not None else None


def _listed(names: list[str]) -> str:
    shown = ", ".join(f"{number} {text[:30]!r}" for number, text in enumerate(names[:20], 1))
    return shown + (" …" if len(names) > 20 else "")


def _rows(text: str, name: str, dialect: Dialect) -> Iterator[TableRow]:
    """Yield the rows that are not empty, in one pass over the text."""
    cell = re.compile(
        (
            r'(?P<quoted>"(?:[^"]|"")*+")(?P<carriage>\r?)'
            if dialect.quotes
            else r"(?P<quoted>\A\b\B)"
        )
        + rf"(?=[{dialect.delimiter}\n]|\Z)|(?P<bare>[^{dialect.delimiter}\n]*+)"
    )
    place = 1 if text.startswith("\ufeff") else 0
    line, cells = 1, list[TableCell]()
    first_line = line
    while place <= len(text):
        found = cell.match(text, place)
        if found is None:
            raise ValueError("a cell that is none")
        if dialect.quotes and found.group("bare") is not None and text[place : place + 1] == '"':
            raise DataError(
                f"{name}:{line}: not CSV (a quotation mark that is not closed, or not doubled "
                "inside a cell)."
            )
        cells.append(_cell(text, found))
        if len(cells) > MOST_COLUMNS:
            raise DataError(f"{name}:{line}: a row of more than {MOST_COLUMNS:,} cells.")
        line += text.count("\n", place, found.end())
        place = found.end() + 1
        if text[found.end() : place] != dialect.delimiter:
            if any(cell.text for cell in cells):
                yield TableRow(first_line, cells)
            line, cells = line + 1, []
            first_line = line


def _cell(text: str, found: re.Match[str]) -> TableCell:
    begin, end = found.span()
    raw = found.group("quoted")
    if raw is not None:
        return TableCell(begin, begin + len(raw), raw[1:-1].replace('""', '"'))
    if text[end - 1 : end + 1] == "\r\n" and end > begin:
        end -= 1
    return TableCell(begin, end, text[begin:end])
