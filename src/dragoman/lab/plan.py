"""The plan of a comparison, written down before the first step: plan.json."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dragoman.config.reading import differences, stored_recipe
from dragoman.config.recipe import Recipe
from dragoman.core.bounded_read import read_bounded
from dragoman.core.errors import ConfigError, RunError
from dragoman.core.files import write_atomic
from dragoman.lab.budget import Budget

FORMAT, VERSION = "dragoman-comparison-plan", 1
LARGEST_FILE = 4 * 1024 * 1024
ADVICE = "Give this one another folder with --output, or remove that one."


@dataclass(frozen=True)
class ComparisonPlan:
    """The budget, the seeds and the recipes, each with the speed that was measured for it."""

    budget: Budget
    seeds: tuple[int, ...]
    recipes: dict[str, Recipe]
    seconds: dict[str, float]
    """Of one batch on this machine, by recipe; measured only where time is the budget."""


def plan_in(folder: Path, budget: Budget, seeds: Sequence[int]) -> ComparisonPlan:
    """Read the plan of a folder; refuse one for another budget or other seeds."""
    requested = ComparisonPlan(budget, tuple(seeds), {}, {})
    path = folder / "plan.json"
    if not path.is_file():
        return requested
    stored = _read(path)
    for what, old, new in (
        ("budget", stored.budget, budget),
        ("seeds", _listed(stored.seeds), _listed(seeds)),
    ):
        if old != new:
            raise RunError(
                f"{folder}: holds a comparison of other {what} (it was {old}, now {new}). {ADVICE}"
            )
    return stored


def with_recipes(
    plan: ComparisonPlan, recipes: Mapping[str, Recipe], folder: Path
) -> ComparisonPlan:
    """Add recipes to a plan; one that is in it already must not have changed."""
    for name, recipe in recipes.items():
        before = plan.recipes.get(name, recipe)
        for key, (old, new) in differences(before, recipe).items():
            raise RunError(
                f"{folder}: holds a comparison of another {name} ({key} was {old!r}, "
                f"now {new!r}). {ADVICE}"
            )
    return replace(plan, recipes={**plan.recipes, **recipes})


def write_plan(plan: ComparisonPlan, folder: Path) -> None:
    """Write a plan into its folder."""
    record = {
        "format": FORMAT,
        "version": VERSION,
        "budget": {"kind": plan.budget.kind, "amount": float(plan.budget.amount)},
        "seeds": plan.seeds,
        "seconds_of_a_batch": plan.seconds,
        "recipes": {
            name: recipe.model_dump(mode="json", exclude={"made_with"})
            for name, recipe in plan.recipes.items()
        },
    }
    write_atomic(folder / "plan.json", json.dumps(record, indent=1, ensure_ascii=False) + "\n")


def _read(path: Path) -> ComparisonPlan:
    try:
        record = json.loads(read_bounded(path, LARGEST_FILE))
        if record["format"] != FORMAT or record["version"] != VERSION:
            raise ValueError(f"format {record['format']!r}, version {record['version']!r}")
        return ComparisonPlan(
            budget=Budget(record["budget"]["kind"], float(record["budget"]["amount"])),
            seeds=tuple(record["seeds"]),
            recipes={
                name: stored_recipe(tree, f"{path}: {name}")
                for name, tree in record["recipes"].items()
            },
            seconds={name: float(each) for name, each in record["seconds_of_a_batch"].items()},
        )
    except (
        OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, ConfigError,
    ) as error:  # fmt: skip
        why = next(iter(str(error).splitlines()), type(error).__name__)
        raise RunError(f"{path}: not a plan that can be read ({why}). {ADVICE}") from None


def _listed(seeds: Sequence[int]) -> str:
    return ",".join(map(str, seeds))
