"""`dragoman plan`: what a training will cost, and how large the model should be."""

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.help import CliCommand, CliGroup, number_option
from dragoman.cli.plan_scaling import scaling

app = typer.Typer(
    cls=CliGroup,
    no_args_is_help=True,
    help="Plan a training: count parameters, FLOPs and memory; fit scaling laws.",
)


@app.callback()
def plan() -> None:
    """Plan a training: count parameters, FLOPs and memory; fit scaling laws."""


@app.command(cls=CliCommand)
def count(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="RECIPE",
            help="Recipe files, names of built-in recipes, run folders, or published networks "
            "(gpt2, bert-base, t5-small); SECTION.KEY=VALUE changes all recipes.",
        ),
    ],
    batch: Annotated[
        int | None, number_option(min=1, help="Rows of a batch. [default: the recipe's]")
    ] = None,
    length: Annotated[
        int | None, number_option(min=1, help="Tokens of a row. [default: the recipe's]")
    ] = None,
    classes: Annotated[
        int | None, number_option(min=1, help="Classes of a classifier. [default: the corpus's]")
    ] = None,
    depth: Annotated[int, number_option(min=0, help="Levels of the tree.")] = 2,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Count parameters, FLOPs and memory of a model, layer by layer, without building it.

    FLOPs are those of one training step; a multiplication and its addition are two. Several models
    are compared in a table.
    """
    import json as text

    from dragoman.core.errors import ConfigError
    from dragoman.planner.count.count import count_model
    from dragoman.planner.count.report import as_json, table, tree
    from dragoman.planner.count.subject import BatchShape

    changes = [item for item in names if "=" in item and not Path(item).exists()]
    asked = [item for item in names if item not in changes]
    if not asked:
        raise ConfigError("there are changes, but no recipe that they are for. Name one first.")
    shape = BatchShape(batch, length, classes)
    counts = [count_model(name, changes, shape) for name in asked]
    if json:
        found = [as_json(one) for one in counts]
        print(text.dumps(found[0] if len(found) == 1 else found, indent=2, ensure_ascii=False))
    elif len(counts) == 1:
        print(tree(counts[0], depth))
    else:
        print(table(counts))


app.command(cls=CliCommand)(scaling)
