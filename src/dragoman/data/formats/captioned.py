"""Images with captions in a table: TSV, a line being an image and what is said of it.

image TAB caption                  or, with a third column, TAB language
image caption keywords …           where the first line names the columns, in any order

A path is relative to the table. Keywords stand in one cell with `|` between them. All rows of a
group (variants of one drawing, say) stay together when some are held out.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from dragoman.core.errors import DataError, nearest
from dragoman.data.formats.findings import FindingKind, Findings
from dragoman.data.formats.lines import one_line, read_lines

COLUMNS = ("image", "caption", "keywords", "language", "group")
PLAIN = ("image", "caption", "language")
"""The columns of a table that does not name them."""

BETWEEN = "|"


class Caption(NamedTuple):
    """The caption of an image in one language."""

    name: str
    keywords: tuple[str, ...] = ()
    language: str = ""


class CaptionRow(NamedTuple):
    """A line of a table."""

    image: Path
    caption: Caption
    group: str = ""
    """Empty where the image is a group of its own."""


def join_keywords(keywords: Sequence[str]) -> str:
    """Return keywords as they stand in one cell."""
    return BETWEEN.join(word for word in keywords if BETWEEN not in word)


def read_captioned(
    path: Path, *, repair: bool, findings: Findings
) -> Iterator[tuple[int, CaptionRow]]:
    """Yield the number and the content of each line; one without image or caption is counted."""
    columns: tuple[str, ...] = ()
    for number, line in enumerate(read_lines(path, repair=repair, findings=findings), 1):
        if line is None:
            findings.add(FindingKind.TOO_LONG_LINE, path, number)
            continue
        cells = [one_line(cell).strip() for cell in line.split("\t")]
        if not columns:
            columns, header = _columns(cells, path)
            if header:
                continue
        if not any(cells):
            continue
        if len(cells) != len(columns):
            reason = f"{path}:{number}: {len(cells)} columns, where the first line has "
            findings.refuse(FindingKind.COLUMNS, path, number, f"{reason}{len(columns)}.")
            continue
        row = _row(dict(zip(columns, cells, strict=True)), path.parent)
        if row is None:
            findings.add(FindingKind.EMPTY_SIDE, path, number)
        else:
            yield number, row


def _columns(first: list[str], path: Path) -> tuple[tuple[str, ...], bool]:
    """Return what the columns of a table are, and whether its first line says so."""
    names = tuple(cell.casefold() for cell in first)
    if {"image", "caption"} <= set(names):
        for name in names:
            if name not in COLUMNS or names.count(name) > 1:
                hint = nearest(name, COLUMNS)
                raise DataError(f"{path}:1: the column {name!r} is unknown or twice. {hint}")
        return names, True
    if len(names) not in (2, 3):
        raise DataError(
            f"{path}:1: {len(names)} columns. A line is IMAGE, one tab, CAPTION, and perhaps one "
            f"tab and LANGUAGE; for more, name them in the first line: {', '.join(COLUMNS)}."
        )
    return PLAIN[: len(names)], False


def _row(cells: dict[str, str], folder: Path) -> CaptionRow | None:
    if not cells["image"] or not cells["caption"]:
        return None
    words = (word.strip() for word in cells.get("keywords", "").split(BETWEEN))
    keywords = tuple(dict.fromkeys(word for word in words if word))
    caption = Caption(cells["caption"], keywords, cells.get("language", ""))
    return CaptionRow(folder / cells["image"], caption, cells.get("group", ""))
