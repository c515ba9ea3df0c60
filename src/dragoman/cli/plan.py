"""`dragoman plan`: what a training will cost, and how large the model should be."""

import typer

from dragoman.cli.help import CliCommand, CliGroup
from dragoman.cli.plan_scaling import scaling

app = typer.Typer(
    cls=CliGroup, no_args_is_help=True, help="Plan a training before it begins: scaling laws."
)
app.command(cls=CliCommand)(scaling)


@app.callback()
def plan() -> None:
    """Plan a training before it begins: scaling laws."""
