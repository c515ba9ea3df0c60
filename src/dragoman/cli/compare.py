"""`dragoman compare`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.help import folder_option, number_option

if TYPE_CHECKING:
    from dragoman.lab.budget import Budget
    from dragoman.lab.comparison import ComparisonResult


def compare(
    recipes: Annotated[
        list[str],
        typer.Argument(
            metavar="RECIPE", help="Recipe files or names; SECTION.KEY=VALUE changes all of them."
        ),
    ],
    time: Annotated[str | None, typer.Option(help="Training time of each run: 10m, 1h30m.")] = None,
    tokens: Annotated[
        str | None, number_option(help="Target tokens of each run: 500k, 2M.")
    ] = None,
    seeds: Annotated[
        str, typer.Option(metavar="N,N", help="Train each recipe once with each of these seeds.")
    ] = "1",
    output: Annotated[Path, folder_option(help="Folder for runs, table and plot.")] = Path(
        "comparison"
    ),
) -> None:
    """Train several recipes under the same budget, and compare them in a table and a plot."""
    from dragoman.cli.seeds import seeds_of
    from dragoman.core.errors import ConfigError
    from dragoman.lab.comparison import compare as compare_recipes

    changes = [item for item in recipes if "=" in item and not Path(item).exists()]
    entrants = [item for item in recipes if item not in changes]
    chosen, budget = seeds_of(seeds), _budget(time, tokens)
    if len(entrants) * len(chosen) == 1:
        raise ConfigError(
            f"{entrants[0]}: one recipe with one seed has nothing to be compared with. Name "
            f"another recipe or more --seeds, or train it alone: dragoman train {entrants[0]}"
        )
    done = compare_recipes(
        entrants,
        output,
        budget=budget,
        seeds=chosen,
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
    say(f"comparison.md, comparison.json and comparison.png are in {done.folder}")


def _budget(time: str | None, tokens: str | None) -> "Budget":
    from dragoman.cli.contradictions import refuse_both
    from dragoman.core.duration import seconds_of
    from dragoman.lab.budget import Budget, tokens_of

    refuse_both({"--time": time, "--tokens": tokens})
    if time is not None:
        return Budget("time", seconds_of(time))
    return Budget("tokens", tokens_of(tokens)) if tokens is not None else Budget()
