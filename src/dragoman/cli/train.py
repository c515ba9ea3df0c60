"""`dragoman train`."""

from pathlib import Path
from typing import Annotated

import typer


def train(
    recipe: Annotated[str, typer.Argument(help="A recipe file, or the name of a shipped one.")],
    changes: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SECTION.KEY=VALUE]...", help="Settings to change."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="The run folder. [default: runs/NAME]")
    ] = None,
) -> None:
    """Train what a recipe describes; the same command again goes on where it stopped."""
    from dragoman.trainer import train as train_recipe

    finished = train_recipe(recipe, changes or [], folder=output)
    if finished.interrupted is not None:
        raise typer.Exit(finished.interrupted)
