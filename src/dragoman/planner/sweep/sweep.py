"""An isoFLOP sweep as one resumable study: its design, its trials and its points.

Every size is trained once for each budget, with a learning rate schedule that ends where the budget
does: the loss halfway through a longer schedule, while the rate is still high, is not what that
budget could reach (Hoffmann et al. 2022, section 3.1 and figure A1). A training may be read at all
budgets, at about half the cost, only where the schedule does not know its end (constant,
inverse-sqrt, exponential); the other kinds are refused.

In the folder of a sweep:

rows/KEY.json   each finished trial
work/KEY/       a trial's run folder while it is trained
prepared/       the corpus, prepared once for each seed
scaling.md, scaling.json, scaling.png, scaling.html   what came of it
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from dragoman.config.recipe import Recipe
from dragoman.config.schedule import Cosine, Linear
from dragoman.core.console import say
from dragoman.core.errors import ConfigError
from dragoman.planner.scaling.points import ScalingPoint, flops_text
from dragoman.planner.scaling.power_law import interpolate
from dragoman.planner.sweep.sizes import with_corpus_seed
from dragoman.planner.sweep.trials import (
    READINGS,
    BudgetTrial,
    SizeTrial,
    budget_recipe,
    count_size,
    train_budget,
)
from dragoman.trials.runner import Measurement, ResumableRunner

LARGEST_SHARE, HALVINGS = 1 / 8, 5
"""Budgets by default: the largest is this share of what the recipe's own training costs, and each
of the others half of the one above; six sizes then cost about one and a half such trainings."""


@dataclass(frozen=True)
class SweepDesign:
    """Sizes × budgets × seeds."""

    recipe: Recipe
    sizes: tuple[Recipe, ...]
    seeds: tuple[int, ...] = (1,)
    budgets: tuple[float, ...] = ()
    """FLOPs; by default halves of a share of the recipe's own training."""
    shared: bool = False
    """Read one training of each size at all budgets."""


@dataclass(frozen=True)
class SizeCost:
    """What one size costs."""

    recipe: Recipe
    parameters: int
    flops_per_token: float
    tokens_per_step: float

    def steps_for(self, flops: float) -> int:
        """Return how many steps come closest to a budget."""
        return round(flops / (self.flops_per_token * self.tokens_per_step))


@dataclass(frozen=True)
class SweepResult:
    """The points of a sweep, and what the recipe's own training would cost."""

    points: tuple[ScalingPoint, ...]
    own_flops: float
    curves: dict[int, list[list[tuple[float, float]]]]
    """By parameters: of each training FLOPs and loss at its validations."""


def run_sweep(runner: ResumableRunner, design: SweepDesign) -> SweepResult:
    """Count what the sizes cost, train them at every budget, and return the points.

    What is done is found again: the same command resumes after any interruption.
    """
    if design.shared:
        _refuse_schedule(design.recipe)
    prepared = runner.folder / "prepared"
    sizes = [with_corpus_seed(one) for one in (design.recipe, *design.sizes)]
    trials = [SizeTrial(recipe=one.model_copy(update={"seed": design.seeds[0]})) for one in sizes]
    counted = runner.run(trials, partial(count_size, prepared=prepared))
    own, *costs = (_cost(one, found) for one, found in zip(sizes, counted, strict=True))
    own_flops = own.flops_per_token * own.tokens_per_step * own.recipe.training.steps
    budgets = design.budgets or _default_budgets(own_flops)
    planned = _planned(costs, budgets, design)
    total = sum(
        trial.recipe.training.steps * cost.flops_per_token * cost.tokens_per_step
        for trial, cost in planned
    )
    say(
        f"{len(costs)} sizes from {min(one.parameters for one in costs):,} to "
        f"{max(one.parameters for one in costs):,} parameters, {len(budgets)} budgets, "
        f"{len(planned)} trials: {flops_text(total)} in all; the recipe's own training costs "
        f"{flops_text(own_flops)}"
    )
    found = runner.run([trial for trial, _ in planned], partial(train_budget, prepared=prepared))
    points: list[ScalingPoint] = []
    curves: dict[int, list[list[tuple[float, float]]]] = {}
    for (trial, cost), measured in zip(planned, found, strict=True):
        points += _points(trial, cost, measured, budgets if design.shared else (trial.budget,))
        curve = [(one["tokens"] * cost.flops_per_token, one["loss"]) for one in measured["curve"]]
        curves.setdefault(cost.parameters, []).append(curve)
    return SweepResult(tuple(points), own_flops, curves)


def _cost(recipe: Recipe, found: Measurement) -> SizeCost:
    return SizeCost(recipe, found["parameters"], found["flops_per_token"], found["tokens_per_step"])


def _default_budgets(own_flops: float) -> tuple[float, ...]:
    """Return budgets rounded to two digits, in rising order."""
    exact = [own_flops * LARGEST_SHARE / 2**halving for halving in range(HALVINGS)]
    return tuple(sorted(float(f"{one:.1e}") for one in exact))


def _planned(
    costs: Sequence[SizeCost], budgets: Sequence[float], design: SweepDesign
) -> list[tuple[BudgetTrial, SizeCost]]:
    """Return the trainings, the cheap ones first."""
    smallest, largest = min(budgets), max(budgets)
    planned = []
    for budget in [largest] if design.shared else sorted(budgets):
        for seed in design.seeds:
            for cost in costs:
                steps = cost.steps_for(budget)
                if cost.steps_for(smallest) < 2:
                    raise ConfigError(
                        f"{flops_text(smallest)}: less than two steps of the size of "
                        f"{cost.parameters:,} parameters. Raise the smallest of --budgets, lower "
                        "batches.max_tokens, or leave this size out."
                    )
                readings = math.ceil(READINGS * largest / smallest) if design.shared else 1
                recipe = budget_recipe(cost.recipe, steps, seed, readings=min(readings, steps))
                trial = BudgetTrial(recipe=recipe, parameters=cost.parameters, budget=budget)
                planned.append((trial, cost))
    return planned


def _points(
    trial: BudgetTrial, cost: SizeCost, measured: Measurement, budgets: Sequence[float]
) -> list[ScalingPoint]:
    """Return the point of a training, or those at which it is read."""
    seed, curve = trial.recipe.seed, measured["curve"]
    run = f"{cost.parameters}/{trial.budget}/{seed}"
    points = []
    for budget in budgets:
        if not curve:
            tokens, loss = budget / cost.flops_per_token, math.nan
        elif len(budgets) == 1:
            tokens, loss = curve[-1]["tokens"], curve[-1]["loss"]
        else:
            tokens = budget / cost.flops_per_token
            x, y = (np.array([float(one[key]) for one in curve]) for key in ("tokens", "loss"))
            loss = float(interpolate(np.log([tokens]), np.log(x), y)[0])
        flops = tokens * cost.flops_per_token
        points.append(ScalingPoint(cost.parameters, tokens, flops, budget, loss, seed, run))
    return points


def _refuse_schedule(recipe: Recipe) -> None:
    """Refuse to read a training on its way where its schedule ends with its last step."""
    schedule = recipe.schedule
    if isinstance(schedule, Cosine) or (isinstance(schedule, Linear) and not schedule.decay_steps):
        raise ConfigError(
            f"--shared: schedule.kind = {schedule.kind!r} ends with the last step, so that a "
            "training cannot be read at smaller budgets. Leave --shared out, or set "
            "schedule.kind=constant."
        )
