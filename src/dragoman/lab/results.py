"""The results of an experiment by name and seed; each has at least a `name` and a `seed`."""

from collections.abc import Sequence

from dragoman.lab.spread import Spread, difference, spread
from dragoman.trials.runner import Measurement as Measurement

Results = Sequence[Measurement]


def names(results: Results) -> list[str]:
    """Return the names of the results, each once, in order."""
    return list(dict.fromkeys(str(result["name"]) for result in results))


def select(results: Results, name: str) -> list[Measurement]:
    """Return the results of a name in the order of seeds."""
    own = (result for result in results if result["name"] == name)
    return sorted(own, key=lambda result: int(result["seed"]))


def figures(results: Results, name: str, key: str) -> list[float]:
    """Return a figure of a name for each seed, in the order of seeds."""
    return [float(result[key]) for result in select(results, name)]


def spread_of(results: Results, name: str, key: str, scale: float = 1.0) -> Spread:
    """Return a figure of a name over its seeds, `scale` times as large."""
    return spread([scale * value for value in figures(results, name, key)])


def percent_of(results: Results, name: str, key: str) -> str:
    """Return a share of a name over its seeds, as people write it in per cent."""
    return spread_of(results, name, key, 100).written(1)


def gap_of(results: Results, first: str, second: str, key: str, resolution: float = 0.0) -> Spread:
    """Return a figure of the first name minus that of the second, seed by seed."""
    return difference(figures(results, first, key), figures(results, second, key), resolution)


def over_majority(results: Results, name: str, key: str = "accuracy") -> Spread:
    """Return a model's accuracy minus that of the majority baseline, seed by seed."""
    baseline = key.replace("accuracy", "majority")
    return difference(figures(results, name, key), figures(results, name, baseline))
