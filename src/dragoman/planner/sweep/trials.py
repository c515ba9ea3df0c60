"""Trials of a sweep: what a size costs, and its training at a compute budget."""

import os
import shutil
import statistics
from pathlib import Path

from dragoman.config.recipe import Recipe
from dragoman.core.errors import DivergedError
from dragoman.core.files import new_folder
from dragoman.core.lock import LOCK, in_turn
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.metrics_log import Row, read_log
from dragoman.engine.runtime import start
from dragoman.planner.batch_cost import BatchCost
from dragoman.tasks.open import open_task
from dragoman.trials.length import with_steps
from dragoman.trials.runner import Measurement
from dragoman.trials.trial import Trial, train_in

WALKED = 200
"""Batches whose tokens and FLOPs are counted to know those of a step."""
LOG_EVERY = 50
READINGS = 4
"""Validations until the smallest budget, where one training is read at all of them."""


class SizeTrial(Trial):
    """The cost of one model size, counted before anything is trained."""

    recipe: Recipe

    @property
    def title(self) -> str:
        """The line that is printed when it begins."""
        return f"counting FLOPs: {self.recipe.name}"


class BudgetTrial(Trial):
    """The training of one model size with one seed, as long as a budget lasts."""

    recipe: Recipe
    """With the steps and the learning rate schedule of the budget."""
    parameters: int
    budget: float

    @property
    def title(self) -> str:
        """The line that is printed when it begins."""
        return (
            f"{self.parameters:,} parameters, {self.budget:.3g} FLOPs "
            f"({self.recipe.training.steps:,} steps), seed {self.recipe.seed}"
        )


def count_size(trial: SizeTrial, place: Path, *, prepared: Path) -> Measurement:
    """Count the parameters of a size, its FLOPs per token and its tokens per step."""
    training = trial.recipe.training.model_copy(update={"threads": 1, "device": "cpu"})
    recipe = trial.recipe.model_copy(update={"training": training})
    folder = _prepare(prepared, recipe)
    task = open_task(folder, recipe, start(training), fresh=True)
    cost, stream = BatchCost(recipe, folder, task.guesses), task.train_batches()
    plan = stream.plan(0)
    tokens = []
    for number in range(min(WALKED, len(plan))):
        batch = stream.batch(plan, number, 0)
        cost.note(batch, task.objective.denominator(batch))
        tokens.append(task.objective.targets(batch))
    each = statistics.fmean(tokens)
    return {
        "parameters": cost.parameters,
        "flops_per_token": cost.flops / each,
        "tokens_per_step": each * training.accumulate,
    }


def train_budget(trial: BudgetTrial, place: Path, *, prepared: Path) -> Measurement:
    """Train a size as long as its budget lasts; return tokens and loss at each validation."""
    recipe = trial.recipe
    run = place / recipe.name
    if not run.exists():
        ready = _prepare(prepared, recipe).path
        with new_folder(run) as beside:
            _link_tree(ready, beside)
    try:
        log = read_log(RunFolder(train_in(place, recipe)).metrics)
    except DivergedError as error:
        return {"diverged": str(error), "curve": []}
    return {"diverged": "", "curve": loss_curve(log)}


def loss_curve(log: list[Row]) -> list[dict[str, float]]:
    """Return tokens seen and loss at each validation of a training log."""
    seen: dict[int, float] = {}
    total = 0.0
    for row in log:
        if row["kind"] == "train":
            total += row["tokens"]
            seen[row["step"]] = total
    return [
        {"step": row["step"], "tokens": seen[row["step"]], "loss": row["loss"]}
        for row in log
        if row["kind"] == "validation" and row["step"] in seen
    ]


def budget_recipe(recipe: Recipe, steps: int, seed: int, *, readings: int = 1) -> Recipe:
    """Return the recipe of a trial: so many steps, the loss of the last weights, little else.

    The schedule keeps its proportions: warm-up and decay end where the budget does. With more than
    one reading the schedule stays as it is, for the training is read on its way.
    """
    fitted = with_steps(recipe, steps) if readings == 1 else recipe
    between = -(-steps // readings)  # not short of the budget
    steps = between * readings if readings > 1 else steps
    training = fitted.training.model_copy(
        update={
            "steps": steps,
            "validate_every": between,
            "checkpoint_every": max(1, steps // 4),
            "log_every": max(d for d in range(1, LOG_EVERY + 1) if between % d == 0),
            "patience": 0,
            "best_metric": "loss",
            "final": "last",
            "keep": 1,
            "validation_sentences": 1,
            "threads": fitted.training.threads or 1,  # the same bits, however many run at once
        }
    )
    return fitted.model_copy(update={"training": training, "seed": seed})


def _prepare(prepared: Path, recipe: Recipe) -> RunFolder:
    """Prepare the corpus of a seed once, for all sizes and budgets."""
    folder = RunFolder(prepared / f"seed-{recipe.seed}")
    training = recipe.training.model_copy(update={"threads": 1, "device": "cpu"})
    with in_turn(prepared):
        folder.path.mkdir(parents=True, exist_ok=True)
        open_task(folder, recipe, start(training), fresh=False)
    return folder


def _link_tree(source: Path, target: Path) -> None:
    """Give a folder the files of another, which nobody changes, without copying where possible."""
    skipped = shutil.ignore_patterns(LOCK, "recipe.toml")
    shutil.copytree(source, target, copy_function=_link, ignore=skipped, dirs_exist_ok=True)


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another disk, or one without links
        shutil.copy2(source, target)
