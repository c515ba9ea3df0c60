"""A scaling study of a recipe: the sweep, its laws, its proposals and its report."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dragoman.config.reading import find_recipe, read_recipe
from dragoman.core.files import explain_full_disk, explain_write_error
from dragoman.core.lock import only_process
from dragoman.planner.scaling.laws import Proposal, ScalingLaws, fit_scaling_laws
from dragoman.planner.scaling.points import ScalingFitError
from dragoman.planner.sweep.plot import scaling_plot
from dragoman.planner.sweep.report import write_report
from dragoman.planner.sweep.sizes import sized_recipes
from dragoman.planner.sweep.sweep import SweepDesign, run_sweep
from dragoman.trials.runner import ResumableRunner


@dataclass(frozen=True)
class SweepOptions:
    """The options of a sweep; what is empty has its default."""

    widths: tuple[int, ...] = ()
    sizes: tuple[str, ...] = ()
    """Each some `section.key=value`, apart by spaces."""
    budgets: tuple[float, ...] = ()
    seeds: tuple[int, ...] = (1,)
    at: tuple[float, ...] = ()
    """Budgets that a size is proposed for; by default that of the recipe's own training."""
    shared: bool = False


@dataclass(frozen=True)
class ScalingStudy:
    """A finished study."""

    folder: Path
    laws: ScalingLaws
    proposals: tuple[Proposal, ...]
    record: dict[str, Any]
    refused: str = ""
    """Why one of the budgets that were asked for has no proposal."""


def scaling_study(
    name: str,
    changes: Sequence[str],
    options: SweepOptions,
    *,
    folder: Path | None = None,
    at_once: int = 1,
) -> ScalingStudy:
    """Run the sweep of a recipe in a folder, or resume it there, and write its report."""
    path = find_recipe(name)
    recipe = read_recipe(path, changes)
    sizes = sized_recipes(path, changes, options.widths, options.sizes)
    design = SweepDesign(recipe, tuple(sizes), options.seeds, options.budgets, options.shared)
    folder = folder or Path("scaling") / recipe.name
    with explain_write_error(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with explain_full_disk(folder), only_process(folder):
        runner = ResumableRunner(folder, "scaling", at_once=at_once)
        result = run_sweep(runner, design)
        laws = fit_scaling_laws(result.points)
        wanted = options.at or (result.own_flops,)
        proposals, refused = _proposals(laws, wanted)
        about = (
            f"{len(sizes)} sizes, {len(laws.profiles)} budgets, seeds "
            f"{', '.join(map(str, options.seeds))}; {runner.seconds:.0f} s of training"
        )
        plot = scaling_plot(
            laws, result.curves, f"Scaling of {recipe.name}", about, furthest=max(wanted)
        )
        notes = [*laws.refusals, *([refused] if refused else [])]
        record = write_report(folder, plot, laws, proposals, notes)
    return ScalingStudy(folder, laws, tuple(proposals), record, refused if options.at else "")


def _proposals(laws: ScalingLaws, budgets: Sequence[float]) -> tuple[list[Proposal], str]:
    """Return what the laws say about budgets, and why they say nothing about one of them."""
    found, refused = [], ""
    for flops in budgets:
        try:
            found.append(laws.at(flops))
        except ScalingFitError as error:
            refused = refused or str(error)
    return found, refused
