"""`dragoman plan scaling`."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.help import folder_option, number_option

if TYPE_CHECKING:
    from dragoman.planner.sweep.study import ScalingStudy


def scaling(  # noqa: PLR0913 - one argument for each option
    recipe: Annotated[str, typer.Argument(help="A recipe file, or the name of a built-in one.")],
    changes: Annotated[
        list[str] | None, typer.Argument(metavar="SECTION.KEY=VALUE", help="Settings to change.")
    ] = None,
    widths: Annotated[
        str,
        typer.Option(metavar="N,N", help="Model widths. [default: six, around the recipe's]"),
    ] = "",
    size: Annotated[
        list[str] | None,
        typer.Option(metavar="CHANGES", help="Another size: 'model.width=64 model.layers=2'."),
    ] = None,
    budgets: Annotated[
        str,
        typer.Option(
            metavar="C,C",
            help="Training FLOPs: 1e11,2e11. [default: five below the recipe's]",
        ),
    ] = "",
    seeds: Annotated[
        str, typer.Option(metavar="N,N", help="Train each size once with each of these seeds.")
    ] = "1",
    at: Annotated[
        str,
        typer.Option(
            metavar="C,C", help="Propose a size for these FLOPs. [default: the recipe's training]"
        ),
    ] = "",
    shared: Annotated[
        bool,
        typer.Option(
            "--shared", help="Read one training of each size at all budgets (constant schedules)."
        ),
    ] = False,
    output: Annotated[
        Path | None, folder_option(help="Folder for trials and results. [default: scaling/RECIPE]")
    ] = None,
    jobs: Annotated[int, number_option(min=0, help="Parallel trials; 0: one per core.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Fit scaling laws by an isoFLOP sweep of a recipe; the same command again resumes it.

    Trains small sizes at small compute budgets, and says which size and how many tokens are
    compute-optimal for larger ones.
    """
    from dragoman.cli.seeds import seeds_of
    from dragoman.engine.training.interruption import Interrupted
    from dragoman.planner.sweep.study import SweepOptions, scaling_study
    from dragoman.trials.workers import most_at_once

    options = SweepOptions(
        widths=tuple(_widths(widths)),
        sizes=tuple(size or ()),
        budgets=tuple(_flops("--budgets", budgets)),
        seeds=tuple(seeds_of(seeds)),
        at=tuple(_flops("--at", at)),
        shared=shared,
    )
    try:
        study = scaling_study(
            recipe, changes or [], options, folder=output, at_once=jobs or most_at_once()
        )
    except Interrupted as interrupted:
        raise typer.Exit(interrupted.exit_code) from None
    _print(study, as_json)


def _print(study: "ScalingStudy", as_json: bool) -> None:
    """Print the result; then refuse what could not be proposed, with exit code 2."""
    from dragoman.core.console import say
    from dragoman.core.errors import DataError

    if as_json:
        json.dump(study.record, sys.stdout, indent=1, ensure_ascii=False)
        print()
    else:
        print((study.folder / "scaling.md").read_text(encoding="utf-8"), end="")
    say(f"scaling.md, scaling.json, scaling.png and scaling.html are in {study.folder}")
    if study.refused:
        raise DataError(study.refused)


def _widths(text: str) -> list[int]:
    from dragoman.core.errors import ConfigError

    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isascii() and part.isdigit() and int(part) for part in parts):
        raise ConfigError(f"--widths {text}: are not widths. Write them as 32,64,128.")
    return [int(part) for part in parts]


def _flops(option: str, text: str) -> list[float]:
    """Read numbers of FLOPs; refuse what is none, and one that stands there twice."""
    from math import isfinite

    from dragoman.core.errors import ConfigError

    try:
        found = [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        found = [0.0]
    if not all(isfinite(one) and one >= 1 for one in found) or len({*found}) < len(found):
        raise ConfigError(f"{option} {text}: are not numbers of FLOPs. Write them as 1e11,2e11.")
    return found
