"""The tables of the lexicon, as TSV files: one row a word, the first line names the columns."""

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "tables"
Row = dict[str, str]


@cache
def rows(name: str) -> tuple[Row, ...]:
    """Read a table; cells that a line leaves out at its end are empty."""
    header, *lines = (FOLDER / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    columns = header.split("\t")
    return tuple(
        dict(zip(columns, [*line.split("\t"), *[""] * len(columns)], strict=False))
        for line in lines
        if line and not line.startswith("#")
    )


@cache
def groups() -> dict[str, tuple[str, ...]]:
    """Read which kinds of noun a group stands for."""
    return {row["group"]: tuple(row["kinds"].split()) for row in rows("groups")}


def kinds(cell: str) -> tuple[str, ...]:
    """Spell out the kinds of noun of a cell, whose words are kinds or groups of them."""
    return tuple(kind for word in cell.split() for kind in groups().get(word, (word,)))
