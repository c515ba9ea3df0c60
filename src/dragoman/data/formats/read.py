"""Pairs of sentences, from one file with tabs or from two files line by line."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from dragoman.core.errors import DataError
from dragoman.data.formats.findings import Findings, Kind
from dragoman.data.formats.lines import read_lines
from dragoman.data.formats.pair import Pair

Numbered = tuple[int, str | None, str | None]
ENDED = object()


def read_pairs(
    files: Sequence[Path], *, longest: int, repair: bool, findings: Findings
) -> Iterator[Pair]:
    """Yield the pairs of one TSV file or two parallel files, in order, without changing them.

    Pairs with a side longer than `longest` characters or with nothing but space on a side are
    dropped and counted. Whatever would shift the sides against each other raises a DataError.
    """
    rows = _parallel if len(files) == 2 else _tabbed
    for number, source, target in rows(files, repair, findings):
        if source is None or target is None or len(source) > longest or len(target) > longest:
            guilty = files[0] if source is None or len(source) > longest else files[-1]
            findings.add(Kind.TOO_LONG, guilty, number)
        elif not source.strip() or not target.strip():
            guilty = files[-1] if source.strip() else files[0]
            findings.add(Kind.EMPTY_SIDE, guilty, number)
        else:
            yield Pair(source, target)


def _tabbed(files: Sequence[Path], repair: bool, findings: Findings) -> Iterator[Numbered]:
    if len(files) != 1:
        raise DataError(
            f"a corpus is one TSV file or two plain files, not {len(files)}: "
            f"{', '.join(map(str, files))}. Give (source, target)."
        )
    for number, line in enumerate(read_lines(files[0], repair=repair, findings=findings), 1):
        if line is None:
            yield number, None, None
            continue
        columns = line.split("\t")
        if len(columns) != 2:
            raise DataError(f"{files[0]}:{number}: {_wrong_columns(len(columns))}")
        yield number, columns[0], columns[1]


def _wrong_columns(count: int) -> str:
    if count == 1:
        return "no tab. A line of a TSV corpus is SOURCE, one tab, TARGET."
    return (
        f"{count} columns, where a TSV corpus has two. "
        "Keep the columns of the source and the target: cut -f1,2 OLD > NEW"
    )


def _parallel(files: Sequence[Path], repair: bool, findings: Findings) -> Iterator[Numbered]:
    sides = [read_lines(path, repair=repair, findings=findings) for path in files]
    rows = zip_longest(*sides, fillvalue=ENDED)
    for number, (source, target) in enumerate(rows, 1):
        if source is ENDED or target is ENDED:
            total = number + sum(1 for _ in rows)
            counts = (number - 1, total) if source is ENDED else (total, number - 1)
            raise DataError(
                f"{files[0]} has {counts[0]:,} lines and {files[1]} has {counts[1]:,}. "
                "Line N of one must translate line N of the other; mend the shorter file."
            )
        yield number, _text(source), _text(target)


def _text(line: object) -> str | None:
    return line if isinstance(line, str) else None
