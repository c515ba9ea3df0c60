"""The prediction of a training: time, FLOPs, tokens and memory, stored before the run."""

import hashlib
import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dragoman.config.recipe import Recipe
from dragoman.core.bounded_read import read_bounded
from dragoman.core.errors import ConfigError
from dragoman.core.files import explain_write_error, write_atomic
from dragoman.engine.runtime import software_versions
from dragoman.planner.budget.budget import checkpoints, validations, wall_clock
from dragoman.planner.budget.machine import Machine, this_machine
from dragoman.planner.measure import Speed, resident

FORMAT, VERSION = "dragoman-prediction", 1
LARGEST_FILE = 1 << 20


@dataclass(frozen=True)
class Prediction:
    """What a training of so many steps will take."""

    recipe: Recipe
    speed: Speed
    steps: int
    machine: Machine

    @property
    def validations(self) -> int:
        """How often it is validated."""
        return validations(self.recipe.training, self.steps)

    @property
    def checkpoints(self) -> int:
        """How many states it stores."""
        return checkpoints(self.recipe.training, self.steps)

    @property
    def wall_clock(self) -> float:
        """Seconds of steps, validations and checkpoints."""
        return wall_clock(self.speed, self.recipe.training, self.steps)

    @property
    def flops(self) -> float:
        """FLOPs of all steps."""
        return self.steps * self.speed.flops

    @property
    def flops_per_second(self) -> float:
        """FLOP/s that a step reaches."""
        return self.speed.flops / self.speed.seconds

    @property
    def tokens(self) -> float:
        """Tokens (texts, words, images) that it learns from, each as often as it is met."""
        return self.steps * self.speed.tokens

    @property
    def epochs(self) -> float:
        """Passes over the training data."""
        return self.steps / self.speed.steps_per_epoch

    @property
    def corpus_tokens(self) -> float:
        """Tokens of one pass over the training data."""
        return self.speed.steps_per_epoch * self.speed.tokens


def predict(recipe: Recipe, speed: Speed, steps: int | None = None) -> Prediction:
    """Predict a training from its speed; without `steps`, the recipe's own."""
    return Prediction(recipe, speed, steps or recipe.training.steps, this_machine(speed.threads))


def recipe_tree(recipe: Recipe) -> dict[str, Any]:
    """Return a recipe as plain values, without the software of a run and its threads."""
    tree = recipe.model_dump(mode="json", by_alias=True, exclude={"made_with"})
    tree["training"].pop("threads")
    return tree


def recipe_digest(recipe: Recipe) -> str:
    """Return the SHA-256 of all that a recipe says."""
    text = json.dumps(recipe_tree(recipe), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def as_json(prediction: Prediction) -> dict[str, Any]:
    """Return a prediction as plain values, in seconds and bytes."""
    speed = prediction.speed
    return {
        "format": FORMAT,
        "version": VERSION,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "name": prediction.recipe.name,
        "recipe_sha256": recipe_digest(prediction.recipe),
        "machine": asdict(prediction.machine),
        "software": software_versions(speed.threads).model_dump(mode="json"),
        "unit": prediction.recipe.task.unit,
        "parameters": speed.parameters,
        "steps": prediction.steps,
        "seconds_per_step": speed.seconds,
        "seconds_per_step_error": speed.error,
        "validations": prediction.validations,
        "seconds_per_validation": speed.validation,
        "checkpoints": prediction.checkpoints,
        "seconds_per_checkpoint": speed.checkpoint,
        "wall_clock_seconds": prediction.wall_clock,
        "flops_per_step": speed.flops,
        "flops": prediction.flops,
        "flops_per_second": prediction.flops_per_second,
        "tokens_per_step": speed.tokens,
        "tokens": prediction.tokens,
        "corpus_tokens": prediction.corpus_tokens,
        "epochs": prediction.epochs,
        "training_memory_bytes": speed.memory,
        "process_memory_bytes": resident(speed),
        "recipe": recipe_tree(prediction.recipe),
    }


def write_record(path: Path, record: dict[str, Any]) -> None:
    """Store a prediction where none is yet."""
    if path.exists():
        raise ConfigError(f"{path}: exists already. A prediction is not overwritten; name another.")
    with explain_write_error(path):
        write_atomic(path, json.dumps(record, indent=1, ensure_ascii=False) + "\n")


def read_record(path: Path) -> dict[str, Any]:
    """Read a stored prediction."""
    return read_json(path, FORMAT, VERSION, "prediction of `dragoman plan RECIPE --output FILE`")


def read_json(path: Path, form: str, version: int, what: str) -> dict[str, Any]:
    """Read a JSON object of a given format and version."""
    try:
        found = json.loads(read_bounded(path, LARGEST_FILE))
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such file.") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}).") from None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or found.get("format") != form:
        raise ConfigError(f"{path}: is no {what}.")
    if found.get("version") != version:
        raise ConfigError(
            f"{path}: has version {found.get('version')} of its format; {version} is known here."
        )
    return found
