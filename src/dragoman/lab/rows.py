"""The rows of an experiment by name and seed; a row has at least a `name` and a `seed`."""

from collections.abc import Sequence

from dragoman.lab.experiment import Row


def names(rows: Sequence[Row]) -> list[str]:
    """Return the names of the rows, each once, in order."""
    return list(dict.fromkeys(str(row["name"]) for row in rows))


def named(rows: Sequence[Row], name: str) -> list[Row]:
    """Return the rows of a name in the order of seeds."""
    return sorted((row for row in rows if row["name"] == name), key=lambda row: int(row["seed"]))


def figures(rows: Sequence[Row], name: str, key: str) -> list[float]:
    """Return a figure of a name for each seed, in the order of seeds."""
    return [float(row[key]) for row in named(rows, name)]
