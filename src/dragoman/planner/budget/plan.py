"""The plan for a budget: a recipe as it is, what of it fits, and the size that is proposed."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dragoman.config.reading import find_recipe, read_recipe
from dragoman.config.recipe import Recipe
from dragoman.core.errors import ConfigError
from dragoman.engine.runtime import memory
from dragoman.planner.budget.budget import TrainingBudget, affordable_steps
from dragoman.planner.budget.law import LossLaw
from dragoman.planner.budget.prediction import Prediction, predict
from dragoman.planner.budget.proposal import SizedPrediction, propose, warnings, within_budget
from dragoman.planner.budget.sizes import has_sizes, measure_size, measured_sizes
from dragoman.planner.measure import SampleRun, SpeedMeasurement, sample_run
from dragoman.planner.new import corpus_of_files, new, recipe_name

MEASURED_FOR = 6.0
"""Seconds of steps of the recipe as it is."""

OTHER_SIZES_FOR = 2.0
"""Seconds of steps of the smallest and of the largest size."""

USUAL_TIME = 1800.0
"""Seconds that a recipe for a corpus is chosen for where no time is given."""


@dataclass(frozen=True)
class BudgetPlan:
    """What a training takes, what fits into a budget, and what is proposed for it."""

    prediction: Prediction
    """Of the recipe as it is, with as many steps as the budget allows."""
    budget: TrainingBudget
    warnings: Sequence[str]
    sizes: Sequence[SizedPrediction] = ()
    proposal: SizedPrediction | None = None
    loss: float | None = None
    """That the law predicts for the recipe as it is."""
    extrapolates: float = 0.0
    """Orders of magnitude in FLOPs by which the law is extended."""


def plan_budget(recipe: Recipe, budget: TrainingBudget, law: LossLaw | None = None) -> BudgetPlan:
    """Measure a recipe, and other sizes where there is a budget, and predict what they take."""
    with sample_run(recipe) as sample:
        own = sample.measure(recipe, MEASURED_FOR, whole=True)
        planned = recipe.training.steps
        if budget.limits_steps:
            steps = affordable_steps(budget, own.speed, recipe.training)
            training = recipe.training.model_copy(update={"steps": steps})
            recipe = recipe.model_copy(update={"training": training})
        prediction = predict(recipe, own.speed)
        told = warnings(prediction, budget, memory(), planned)
        loss = law.loss(own.speed.parameters, prediction.tokens) if law else None
        beyond = law.orders_beyond(prediction.flops) if law else 0.0
        if budget == TrainingBudget() or not has_sizes(recipe):
            return BudgetPlan(prediction, budget, told, loss=loss, extrapolates=beyond)
        sizes, proposal = _proposal(sample, recipe, own, budget, law)
    return BudgetPlan(prediction, budget, told, sizes, proposal, loss, beyond)


def _proposal(
    sample: SampleRun,
    recipe: Recipe,
    own: SpeedMeasurement,
    budget: TrainingBudget,
    law: LossLaw | None,
) -> tuple[list[SizedPrediction], SizedPrediction]:
    """Propose a size that has been measured.

    Small networks wait more for each layer than for their FLOPs, so that what is interpolated from
    another depth may be a third too quick; what would be proposed is measured, and chosen again.
    """
    sizes = measured_sizes(sample, recipe, own, OTHER_SIZES_FOR)
    while True:
        predicted = within_budget(sizes, budget, law)
        proposal = propose(predicted)
        if proposal.size.measured:
            return predicted, proposal
        sizes = measure_size(sample, sizes, proposal.size, OTHER_SIZES_FOR)


def find_planned(names: Sequence[str], changes: Sequence[str], budget: TrainingBudget) -> Recipe:
    """Find what is planned: a recipe, a run's recipe, or the one that suits a corpus."""
    paths = [Path(name) for name in names]
    if (paths[0] / "recipe.toml").is_file():
        return read_recipe(paths[0] / "recipe.toml", changes)
    files = [path for path in paths if path.suffix != ".toml" and path.is_file()]
    if not files and len(names) == 1:
        _refuse_missing_corpus(paths[0])
        return read_recipe(find_recipe(names[0]), changes)
    if len(files) != len(names):
        missing = next(name for name, path in zip(names, paths, strict=True) if path not in files)
        raise ConfigError(f"{missing}: is no file of a corpus. Plan one recipe, or one corpus.")
    if changes:
        raise ConfigError(
            f"{changes[0]}: a corpus has no keys to change. Write its recipe first: "
            f"dragoman new {names[0]}"
        )
    corpus = corpus_of_files({"train": [str(path) for path in files]})
    name = recipe_name(files[0].name.split(".")[0])
    return new(name, corpus, budget.seconds or USUAL_TIME).recipe


def _refuse_missing_corpus(path: Path) -> None:
    if path.suffix not in ("", ".toml") and not path.exists():
        raise ConfigError(f"{path}: there is no such file, neither a recipe nor a corpus.")
