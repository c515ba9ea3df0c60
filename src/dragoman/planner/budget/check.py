"""A stored prediction beside the run that it predicted."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dragoman.config.reading import differences, read_recipe, stored_recipe
from dragoman.core.errors import ConfigError, RunError
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.metrics_log import Row, read_log
from dragoman.planner.budget.prediction import read_record, recipe_digest

IGNORED = ("training.threads", "training.steps", "training.log_every", "name")
"""Keys that change no step."""


@dataclass(frozen=True)
class RunTimes:
    """The times in the log of a run."""

    steps: int
    """That the log has times of."""
    seconds: float
    """Of these steps."""
    validations: int
    validation_seconds: float


@dataclass(frozen=True)
class PredictionCheck:
    """Predicted and measured seconds of a run."""

    steps: int
    """Of the run, as far as it is logged."""
    predicted_steps: int
    rows: tuple[tuple[str, float, float], ...]
    """What was predicted, the prediction, and the measurement."""
    differences: tuple[str, ...]
    """Keys in which the run differs from the recipe that was predicted."""


def run_times(rows: list[Row]) -> RunTimes:
    """Add up the times of a log."""
    trained = [row for row in rows if row["kind"] == "train"]
    judged = [row for row in rows if row["kind"] == "validation"]
    return RunTimes(
        max((row["step"] for row in trained), default=0),
        sum(float(row["seconds"]) for row in trained),
        len(judged),
        sum(float(row["seconds"]) for row in judged),
    )


def check_prediction(run: Path, file: Path) -> PredictionCheck:
    """Compare a run's log with a prediction."""
    record = read_record(file)
    folder = RunFolder(run)
    if not folder.recipe.is_file():
        raise RunError(f"{run}: is no run folder: it has no recipe.toml.")
    times = run_times(read_log(folder.metrics))
    if not times.steps:
        raise RunError(f"{run}: has no logged steps to compare with.")
    return compared(record, times, _differences(record, folder, file))


def compared(
    record: dict[str, Any], times: RunTimes, differing: tuple[str, ...] = ()
) -> PredictionCheck:
    """Compare the times of a run with what was predicted for as many steps and validations."""
    step, validation = record["seconds_per_step"], record["seconds_per_validation"]
    rows = [("seconds per step", step, times.seconds / times.steps)]
    predicted = times.steps * step
    if times.validations and validation:
        rows.append(
            ("seconds per validation", validation, times.validation_seconds / times.validations)
        )
        predicted += times.validations * validation
    spent = times.seconds + (times.validation_seconds if validation else 0.0)
    rows.append((f"seconds of {times.steps:,} steps and validations", predicted, spent))
    return PredictionCheck(times.steps, record["steps"], tuple(rows), differing)


def _differences(record: dict[str, Any], folder: RunFolder, file: Path) -> tuple[str, ...]:
    recipe = read_recipe(folder.recipe)
    if recipe_digest(recipe) == record.get("recipe_sha256"):
        return ()
    try:
        before = stored_recipe(dict(record["recipe"]), str(file))
    except (KeyError, TypeError, ValueError, ConfigError):
        return ("another recipe",)
    return tuple(key for key in differences(before, recipe) if key not in IGNORED)
