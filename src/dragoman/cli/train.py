"""`dragoman train`."""

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.help import folder_option


def train(
    recipe: Annotated[str, typer.Argument(help="A recipe file, or the name of a built-in one.")],
    changes: Annotated[
        list[str] | None, typer.Argument(metavar="SECTION.KEY=VALUE", help="Settings to change.")
    ] = None,
    output: Annotated[Path | None, folder_option(help="Run folder. [default: runs/NAME]")] = None,
) -> None:
    """Train a recipe; the same command again resumes where it stopped."""
    from dragoman.cli.next_steps import say_next_after_training
    from dragoman.trainer import train as train_recipe

    finished = train_recipe(recipe, changes or [], folder=output)
    if finished.interrupted is not None:
        raise typer.Exit(finished.interrupted)
    say_next_after_training(finished.folder)
