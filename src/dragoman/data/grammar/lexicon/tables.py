"""The tables of the lexicon, as TSV files, and the ontology of its kinds of noun."""

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "tables"
Row = dict[str, str]


@cache
def rows(name: str) -> tuple[Row, ...]:
    """Read a table, whose first line names the columns; cells left out at the end are empty."""
    header, *lines = (FOLDER / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    columns = header.split("\t")
    return tuple(
        dict(zip(columns, [*line.split("\t"), *[""] * len(columns)], strict=False))
        for line in lines
        if line and not line.startswith("#")
    )


@cache
def ontology() -> dict[str, frozenset[str]]:
    """Read what each kind of noun is: itself and everything above it."""
    return {row["kind"]: frozenset({row["kind"], *row["parents"].split()}) for row in rows("kinds")}


def words(cell: str) -> frozenset[str]:
    """Read a cell of several words: kinds of noun, or single nouns as =mouse."""
    return frozenset(cell.split())
