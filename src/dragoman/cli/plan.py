"""`dragoman plan`: what a training will cost, and how large the model should be."""

from pathlib import Path
from typing import Annotated, Any

import typer

from dragoman.cli.help import CliCommand, CliGroup, file_option, number_option
from dragoman.cli.plan_scaling import scaling


class PlanGroup(CliGroup):
    """A group whose first word may also be a recipe: then it is planned for a budget."""

    default_command = "budget"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read what was typed; without a command, it is the default one."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = [self.default_command, *args]
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return what follows the name of the group."""
        return ["RECIPE|COMMAND", "..."]


app = typer.Typer(cls=PlanGroup, no_args_is_help=True)


@app.callback()
def plan() -> None:
    """Plan a training: its time, FLOPs and memory, and the size that fits a budget.

    With a recipe or a corpus in place of a command, as in `dragoman plan english-hindi --time 30m`,
    some of its steps are measured on this machine; that is the command `budget`.
    """


@app.command(cls=CliCommand)
def budget(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="RECIPE",
            help="A recipe file, the name of a built-in recipe, a run folder, or the file of a "
            "parallel corpus; SECTION.KEY=VALUE changes a recipe.",
        ),
    ],
    time: Annotated[str | None, typer.Option(help="Time for training: 30m, 2h, 1h30m.")] = None,
    flops: Annotated[
        str | None, typer.Option(metavar="N", help="FLOPs for training, as 1e15.")
    ] = None,
    memory: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Memory of the process: 4G, 800M.")
    ] = None,
    law: Annotated[
        Path | None,
        file_option(
            help="The scaling.json of a study of this corpus, to predict the validation loss."
        ),
    ] = None,
    output: Annotated[
        Path | None, file_option(help="Store the prediction as JSON, for `dragoman plan check`.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Measure some steps on this machine and predict time and memory; fit a model to a budget.

    With --time, --flops or --memory, other widths and depths are measured too, where a model writes
    text, and one of them is proposed.
    """
    import json as text

    from dragoman.core.console import console
    from dragoman.core.errors import ConfigError
    from dragoman.planner.budget.budget import read_budget
    from dragoman.planner.budget.law import read_law
    from dragoman.planner.budget.plan import find_planned, plan_budget
    from dragoman.planner.budget.prediction import write_record
    from dragoman.planner.budget.report import as_json, table

    limits = read_budget(time, flops, memory)
    asked, changes = _split(names)
    if output is not None and output.exists():
        raise ConfigError(f"--output {output}: exists already. Name another file.")
    fitted = read_law(law) if law is not None else None
    with console.status("preparing a sample, then timing some steps"):
        found = plan_budget(find_planned(asked, changes, limits), limits, fitted)
    record = as_json(found)
    if output is not None:
        write_record(output, record)
    print(text.dumps(record, indent=2, ensure_ascii=False) if json else table(found))


@app.command(cls=CliCommand)
def check(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A prediction that --output stored.")
    ],
    json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Compare the times in a run's log with a stored prediction."""
    import json as text

    from dragoman.planner.budget.check import check_prediction
    from dragoman.planner.budget.report import check_json, check_table

    found = check_prediction(run, file)
    print(text.dumps(check_json(found), indent=2) if json else check_table(found))


def _split(names: list[str]) -> tuple[list[str], list[str]]:
    """Tell recipes from the changes that are made to them."""
    from dragoman.core.errors import ConfigError

    changes = [item for item in names if "=" in item and not Path(item).exists()]
    asked = [item for item in names if item not in changes]
    if not asked:
        raise ConfigError("there are changes, but no recipe that they are for. Name one first.")
    return asked, changes


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

    from dragoman.planner.count.count import count_model
    from dragoman.planner.count.report import as_json, table, tree
    from dragoman.planner.count.subject import BatchShape

    asked, changes = _split(names)
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
