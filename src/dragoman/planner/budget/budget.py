"""A budget for a training: time, FLOPs or memory, as people write them."""

import math
import re
from dataclasses import dataclass

from dragoman.config.training import TrainingSettings
from dragoman.core.duration import seconds_of, written
from dragoman.core.errors import ConfigError
from dragoman.planner.count.report import flops as flops_text
from dragoman.planner.measure import Speed

BYTES = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
MEMORY = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE)


@dataclass(frozen=True)
class TrainingBudget:
    """What a training may take; None is without limit."""

    seconds: float | None = None
    flops: float | None = None
    memory: int | None = None
    """Bytes of the whole process."""

    @property
    def limits_steps(self) -> bool:
        """Whether it says how long a training may be."""
        return self.seconds is not None or self.flops is not None


def read_budget(time: str | None, flops: str | None, memory: str | None) -> TrainingBudget:
    """Read a budget from the command line."""
    if time is not None and flops is not None:
        raise ConfigError("--time and --flops: give one of them; both limit the steps.")
    return TrainingBudget(
        seconds_of(time) if time is not None else None,
        _flops(flops) if flops is not None else None,
        _bytes(memory) if memory is not None else None,
    )


def _flops(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise ConfigError(f"--flops {text}: is not a number of FLOPs. Write it as 1e15.")
    return value


def _bytes(text: str) -> int:
    found = MEMORY.fullmatch(text.strip())
    size = round(float(found[1]) * BYTES[found[2].lower()]) if found else 0
    if not size:
        raise ConfigError(f"--memory {text}: is not a size of memory. Write it as 4G or 800M.")
    return size


def validations(training: TrainingSettings, steps: int) -> int:
    """Return how often a training of so many steps is validated; always at its end."""
    return -(-steps // training.validate_every)


def checkpoints(training: TrainingSettings, steps: int) -> int:
    """Return how many states a training of so many steps stores; always one at its end."""
    return steps // training.checkpoint_every + 1


def wall_clock(speed: Speed, training: TrainingSettings, steps: int) -> float:
    """Return the seconds of a training: its steps, validations and checkpoints."""
    return (
        steps * speed.seconds
        + validations(training, steps) * speed.validation
        + checkpoints(training, steps) * speed.checkpoint
    )


def steps_within(budget: TrainingBudget, speed: Speed, training: TrainingSettings) -> int:
    """Return how many steps fit into a budget of time or FLOPs; 0 where not even one does."""
    if budget.flops is not None:
        return int(budget.flops // speed.flops)
    if budget.seconds is None:
        return training.steps
    low, high = 0, int(budget.seconds / speed.seconds) + 1  # low fits, high does not
    while high - low > 1:
        middle = (low + high) // 2
        fits = wall_clock(speed, training, middle) <= budget.seconds
        low, high = (middle, high) if fits else (low, middle)
    return low


def affordable_steps(budget: TrainingBudget, speed: Speed, training: TrainingSettings) -> int:
    """Return how many steps fit into a budget; refuse one that is too small for a single step."""
    steps = steps_within(budget, speed, training)
    if steps:
        return steps
    if budget.flops is not None:
        step = f"a step takes {flops_text(round(speed.flops))}"
        raise ConfigError(f"--flops {budget.flops:.3g}: is too small for one step: {step}.")
    least = written(wall_clock(speed, training, 1))
    raise ConfigError(
        f"--time {written(budget.seconds or 0)}: is too short for one step, its validation and "
        f"its checkpoint, which take {least}."
    )
