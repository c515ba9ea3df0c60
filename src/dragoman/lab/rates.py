"""A learning rate for each model, chosen on validation data with as much effort for every one.

Each model is trained for a while with each rate, and takes the one that led to the lowest loss on
validation data. The seed is none of those that are reported, and no test is looked at.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.lab.results import Measurement, Results, names, select
from dragoman.lab.runner import TrialRunner
from dragoman.lab.trial import TunableTrial

RATES = (1e-3, 3e-3, 1e-2)
SEED = 0

AnyTrial = TypeVar("AnyTrial", bound=TunableTrial)
TrialMaker = Callable[[str, float, int, int], AnyTrial]
"""Makes a trial of a name, a learning rate, a number of steps and a seed."""


def trials_by_seed(
    runner: TrialRunner, make: TrialMaker[AnyTrial], rates: Mapping[str, float], steps: int
) -> list[AnyTrial]:
    """Return a trial of each seed and model, with the learning rate of that model."""
    return [make(name, rate, steps, seed) for seed in runner.seeds for name, rate in rates.items()]


def choose_rates(
    runner: TrialRunner,
    make: TrialMaker[AnyTrial],
    usual: Mapping[str, float],
    steps: int,
    grid: Sequence[float] = (),
) -> dict[str, float]:
    """Try every rate for so many steps, and return the best for each name; without steps, `usual`.

    The rates are those above unless an experiment has a `grid` of its own.
    """
    if not steps:
        return dict(usual)
    trials = [make(name, rate, steps, SEED) for name in usual for rate in grid or RATES]

    def measure(trial: AnyTrial, place: Path) -> Measurement:
        return {"loss": lowest_loss(trial.train(place))}

    return best_rates(runner.run(trials, measure))


def best_rates(results: Results) -> dict[str, float]:
    """Return for each name the rate of the trial with the lowest loss."""
    best = {
        name: min(select(results, name), key=lambda result: float(result["loss"]))
        for name in names(results)
    }
    return {name: float(result["rate"]) for name, result in best.items()}


def lowest_loss(run: Path) -> float:
    """Return the lowest loss on validation data that a run reached."""
    log = read_log(RunFolder(run).metrics)
    return min(float(row["loss"]) for row in log if row["kind"] == "validation")


def describe_rates(results: Results, steps: int) -> str:
    """Say which rates were taken, and how they were chosen: in so many steps, or beforehand."""
    taken = ", ".join(f"{name} {select(results, name)[0]['rate']:g}" for name in names(results))
    grid = ", ".join(f"{rate:g}" for rate in RATES)
    how = f"the best of {grid} by validation loss after {steps} steps with seed {SEED}"
    return f"Learning rates ({how if steps else 'set beforehand'}): {taken}."
