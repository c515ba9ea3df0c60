"""`dragoman compare`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from dragoman.lab.budget import Budget
    from dragoman.lab.comparison import ComparisonResult


def compare(
    recipes: Annotated[
        list[str],
        typer.Argument(
            metavar="RECIPE... [SECTION.KEY=VALUE]...",
            help="Recipe files or names of shipped ones; settings to change in all of them.",
        ),
    ],
    time: Annotated[
        str | None, typer.Option(help="Steps of each run on this machine: 10m, 1h30m.")
    ] = None,
    tokens: Annotated[
        str | None, typer.Option(help="Target tokens that each run sees: 500k, 2M.")
    ] = None,
    seeds: Annotated[str, typer.Option(help="Each recipe is trained once for each.")] = "1",
    output: Annotated[Path, typer.Option(help="Where everything goes.")] = Path("comparison"),
) -> None:
    """Train several recipes under one budget; write one table and one picture."""
    from dragoman.cli.seeds import seeds_of
    from dragoman.lab.comparison import compare as compare_recipes

    changes = [item for item in recipes if "=" in item and not Path(item).exists()]
    done = compare_recipes(
        [item for item in recipes if item not in changes],
        output,
        budget=_budget(time, tokens),
        seeds=seeds_of(seeds),
        changes=changes,
    )
    if done.interrupted is not None:
        raise typer.Exit(done.interrupted)
    print_comparison(done)


def print_comparison(done: "ComparisonResult") -> None:
    """Print the tables for people; for a pipe, the page as it stands in its file."""
    from dragoman.core.console import say

    if sys.stdout.isatty():
        from rich.console import Console

        from dragoman.lab.tables import notes, rich_tables

        console = Console(highlight=False)
        for table in rich_tables(done.standings):
            console.print(table)
        for line in notes(done.standings):
            console.print(line, markup=False)
    else:
        print((done.folder / "comparison.md").read_text(encoding="utf-8"), end="")
    say(f"the same in {done.folder}: comparison.md, comparison.json and comparison.png")


def _budget(time: str | None, tokens: str | None) -> "Budget":
    from dragoman.core.errors import ConfigError
    from dragoman.lab.budget import Budget, tokens_of
    from dragoman.planner.duration import seconds_of

    if time is not None and tokens is not None:
        raise ConfigError("--time and --tokens: there can be only one budget. Leave one out.")
    if time is not None:
        return Budget("time", seconds_of(time))
    return Budget("tokens", tokens_of(tokens)) if tokens is not None else Budget()
