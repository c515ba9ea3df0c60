"""A comparison of recipes under one budget: trained one after the other and tested.

In the folder of a comparison:

plan.json          budget, seeds and recipes: what the folder is about
runs/NAME-seed-N/  an ordinary run folder for each recipe and seed
comparison.md      one row for each recipe
comparison.json    the same for programs, with every run
comparison.png     the same as a picture
"""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from dragoman.config.recipe import Recipe
from dragoman.config.task import TranslationTaskSettings
from dragoman.core.console import console, say
from dragoman.core.duration import written
from dragoman.core.errors import DivergedError
from dragoman.core.files import explain_write_error, write_atomic
from dragoman.core.lock import only_process
from dragoman.data.corpus.corpus import open_corpus
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.training.checkpointing import final_step
from dragoman.lab.budget import Budget, steps_in_time, steps_to_tokens
from dragoman.lab.entrants import on_one_corpus, read_entrants
from dragoman.lab.outcome import Standing, outcome, score_of, score_run
from dragoman.lab.plan import ComparisonPlan, plan_in, with_recipes, write_plan
from dragoman.lab.tables import about, markdown, record, sets_tested
from dragoman.planner.measure import measure
from dragoman.planner.new import MEASURED_FOR
from dragoman.plots.comparison import Contestant, draw_comparison
from dragoman.tasks.translation.prepare import prepare
from dragoman.trainer import train
from dragoman.trials.length import with_steps


@dataclass(frozen=True)
class ComparisonResult:
    """How a comparison ended."""

    folder: Path
    standings: list[Standing]
    interrupted: int | None = None
    """Exit code for the signal that ended it; then there are no standings yet."""


@dataclass(frozen=True)
class _Run:
    """A recipe with a seed, and where it is trained."""

    recipe: Recipe
    folder: RunFolder


def compare(
    names: Sequence[str],
    folder: Path,
    *,
    budget: Budget,
    seeds: Sequence[int] = (1,),
    changes: Sequence[str] = (),
) -> ComparisonResult:
    """Train each recipe with each seed, test them, and write table and picture into a folder."""
    entrants = read_entrants(names, changes)
    with explain_write_error(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with only_process(folder):
        plan = plan_in(folder, budget, seeds)
        recipes = on_one_corpus(entrants, plan.recipes)
        plan = with_recipes(plan, recipes, folder)
        if budget.kind == "time":
            plan = _with_speeds(plan)
        write_plan(plan, folder)
        runs = [_run(folder, recipe, seed) for seed in seeds for recipe in recipes.values()]
        interrupted = _train_all(runs, plan)
        if interrupted is not None:
            return ComparisonResult(folder, [], interrupted)
        standings = [_standing(recipe, runs) for recipe in recipes.values()]
        _write(folder, standings, plan)
    return ComparisonResult(folder, standings)


def _run(folder: Path, recipe: Recipe, seed: int) -> _Run:
    path = folder / "runs" / f"{recipe.name}-seed-{seed}"
    return _Run(recipe.model_copy(update={"seed": seed}), RunFolder(path))


def _with_speeds(plan: ComparisonPlan) -> ComparisonPlan:
    """Measure the recipes whose speed is not known: all on one sample, one after the other."""
    unknown = {name: each for name, each in plan.recipes.items() if name not in plan.seconds}
    if not unknown:
        return plan
    seconds = dict(plan.seconds)
    with console.status("reading the corpus, then trying some steps of each recipe"):
        one = next(iter(unknown.values()))
        corpus = open_corpus(one.corpus_for(TranslationTaskSettings), one.seed)
        for name, recipe in unknown.items():
            speed = measure(recipe, MEASURED_FOR, corpus)
            seconds[name] = speed.seconds
            say(f"{name}: {speed.seconds:.3f} s a batch, {speed.parameters:,} parameters")
    return replace(plan, seconds=seconds)


def _train_all(runs: Sequence[_Run], plan: ComparisonPlan) -> int | None:
    """Train and test each run that is not finished; return an exit code where one is stopped."""
    took: list[float] = []
    for number, run in enumerate(runs):
        recipe = _fitted(run, plan)
        left = _left(plan.budget, len(runs) - number, took)
        say(f"run {number + 1} of {len(runs)}: {_set(recipe, plan)}{left}", style="bold")
        began, over = time.monotonic(), final_step(run.folder, recipe.training) is not None
        try:
            ended = train(recipe, folder=run.folder.path)
        except DivergedError as error:
            raise DivergedError(f"{run.folder.path}: {error}") from None
        if ended.interrupted is not None:
            return ended.interrupted
        score_run(run.folder)
        if not over:
            took.append(time.monotonic() - began)
    return None


def _fitted(run: _Run, plan: ComparisonPlan) -> Recipe:
    """Return a run's recipe, made as long as the budget allows."""
    budget, recipe = plan.budget, run.recipe
    match budget.kind:
        case "own":
            return recipe
        case "time":
            steps = steps_in_time(recipe, budget.amount, plan.seconds[recipe.name])
        case "tokens":
            steps = steps_to_tokens(recipe, prepare(run.folder, recipe), int(budget.amount))
    return with_steps(recipe, steps)


def _set(recipe: Recipe, plan: ComparisonPlan) -> str:
    """Say how long a run lasts, and what was set for it."""
    training = recipe.training
    return (
        f"{recipe.name}, seed {recipe.seed}: {training.steps:,} steps ({plan.budget}), "
        f"warm-up {recipe.schedule.warmup_steps:,}, a validation every {training.validate_every:,}"
    )


def _left(budget: Budget, runs: int, took: Sequence[float]) -> str:
    """Say how long the runs that are left will take, by the budget or by those before."""
    if budget.kind == "time":
        return f"; {written(runs * budget.amount)} of steps left in all"
    return f"; about {written(runs * fmean(took))} left in all" if took else ""


def _standing(recipe: Recipe, runs: Sequence[_Run]) -> Standing:
    mine = [run for run in runs if run.recipe.name == recipe.name]
    return Standing(
        recipe.name, recipe.model.kind, [outcome(run.folder, run.recipe.seed) for run in mine]
    )


def _write(folder: Path, standings: Sequence[Standing], plan: ComparisonPlan) -> None:
    """Write what came out: the page, the record and the picture."""
    result = record(standings, plan.budget, plan.seeds)
    write_atomic(folder / "comparison.md", markdown(standings, plan.budget, plan.seeds))
    write_atomic(
        folder / "comparison.json", json.dumps(result, indent=1, ensure_ascii=False) + "\n"
    )
    draw_comparison(
        [_contestant(each) for each in standings],
        folder / "comparison.png",
        about(plan.budget, plan.seeds),
        over="tokens" if plan.budget.kind == "tokens" else "minutes",
    )


def _contestant(each: Standing) -> Contestant:
    tests = sets_tested([each])
    return Contestant(
        name=each.name,
        curves=[run.curve for run in each.outcomes],
        final={
            test: [score_of(run.tests[test], "bleu") for run in each.outcomes] for test in tests
        },
        by_length={k: figure.mean for k, figure in each.by_length(tests[0]).items()},
    )
