"""A learning rate for each model, chosen on validation data with as much effort for every one.

Each model is trained for a while with each rate, and takes the one that led to the lowest loss on
validation data. The seed is none of those that are reported, and no test is looked at.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from dragoman.config.settings import Settings
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.lab.bench import Bench
from dragoman.lab.experiment import Row
from dragoman.lab.rows import named, names

RATES = (1e-3, 3e-3, 1e-2)
SEED = 0


class Rated(Settings):
    """A unit that is trained with a learning rate."""

    name: str
    rate: float


Unit = TypeVar("Unit", bound=Rated)


def choose_rates(
    bench: Bench,
    make: Callable[[str, float, int, int], Unit],
    usual: Mapping[str, float],
    steps: int,
    train: Callable[[Unit, Path], Path],
    grid: Sequence[float] = (),
) -> dict[str, float]:
    """Try every rate for so many steps, and return the best for each name; without steps, `usual`.

    `make` gives the unit of a name, a rate, a length and a seed; `train` gives its run folder. The
    rates are those above unless a subject has a `grid` of its own.
    """
    if not steps:
        return dict(usual)
    units = [make(name, rate, steps, SEED) for name in usual for rate in grid or RATES]

    def measure(unit: Unit, place: Path) -> Row:
        return {"loss": lowest_loss(train(unit, place))}

    rows = bench.measured(
        units, measure, name=lambda unit: f"{unit.name}, looking for a rate: {unit.rate:g}"
    )
    return best_rates(rows)


def best_rates(rows: Sequence[Row]) -> dict[str, float]:
    """Return for each name the rate of the row with the lowest loss."""
    best = {
        name: min(named(rows, name), key=lambda row: float(row["loss"])) for name in names(rows)
    }
    return {name: float(row["rate"]) for name, row in best.items()}


def lowest_loss(run: Path) -> float:
    """Return the lowest loss on validation data that a run reached."""
    log = read_log(RunFolder(run).metrics)
    return min(float(row["loss"]) for row in log if row["kind"] == "validation")


def told_rates(rows: Sequence[Row], steps: int) -> str:
    """Say which rates were taken, and how they were chosen: in so many steps, or beforehand."""
    taken = ", ".join(f"{name} {named(rows, name)[0]['rate']:g}" for name in names(rows))
    grid = ", ".join(f"{rate:g}" for rate in RATES)
    how = f"the best of {grid} by validation loss after {steps} steps with seed {SEED}"
    return f"Learning rates ({how if steps else 'set beforehand'}): {taken}."
