"""`dragoman lab`: experiments that put claims about sequence models to the test."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.cli.help import CliCommand, CliGroup, folder_option, number_option

if TYPE_CHECKING:
    from dragoman.lab.experiment import Experiment

app = typer.Typer(
    cls=CliGroup, no_args_is_help=True, help="Run experiments on claims about sequence models."
)

OWN_OPTIONS = {"allow_extra_args": True, "ignore_unknown_options": True}


@app.command("list", cls=CliCommand)
def list_experiments(
    name: Annotated[
        str | None, typer.Argument(help="Show the claims and options of this experiment.")
    ] = None,
) -> None:
    """List the experiments, or describe one."""
    from dragoman.lab.catalogue import experiments, find_experiment

    if name is not None:
        _describe(find_experiment(name))
        return
    rows = [(one.name, one.title, _span(one.ids)) for one in experiments().values()]
    width = max((len(row[0]) for row in rows), default=0)
    for experiment, title, ids in rows:
        print(f"{experiment.ljust(width)}  {title} ({ids})")
    print("\nRun one: dragoman lab run NAME    describe it: dragoman lab list NAME")


@app.command(cls=CliCommand, context_settings=OWN_OPTIONS)
def run(  # noqa: PLR0913 - one argument for each option
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="A name from `dragoman lab list`.")],
    quick: Annotated[
        bool, typer.Option("--quick", help="Take about three minutes, which is the default.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Take up to an hour.")] = False,
    seeds: Annotated[
        str, typer.Option(metavar="N,N", help="Seeds. [default: the experiment's]")
    ] = "",
    output: Annotated[
        Path | None, folder_option(help="Folder for the results. [default: lab/NAME-SIZE]")
    ] = None,
    jobs: Annotated[int, number_option(min=0, help="Parallel trials; 0: one per core.")] = 0,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Show each training; trials run one by one.")
    ] = False,
) -> None:
    """Run an experiment and judge its claims; the same command again resumes it.

    An experiment may have options of its own: see `dragoman lab list NAME`.
    """
    from dragoman.cli.contradictions import refuse_both
    from dragoman.cli.seeds import seeds_of
    from dragoman.core.console import say
    from dragoman.engine.training.interruption import Interrupted
    from dragoman.lab.catalogue import find_experiment
    from dragoman.lab.experiment import Size
    from dragoman.lab.report import TABLE
    from dragoman.lab.run import run_experiment
    from dragoman.trials.workers import most_at_once

    refuse_both({"--quick": quick, "--full": full})
    refuse_both({"--verbose": verbose, f"--jobs {jobs}": jobs > 1})
    size: Size = "full" if full else "quick"
    folder = output or Path("lab") / f"{name}-{size}"
    experiment = find_experiment(name)
    own = _own_options(context.args)
    try:
        chosen = seeds_of(seeds) if seeds else []
        run_experiment(
            experiment,
            size,
            folder,
            seeds=chosen,
            options=own,
            at_once=jobs or most_at_once(),
            verbose=verbose,
        )
    except Interrupted as interrupted:
        raise typer.Exit(interrupted.exit_code) from None
    print((folder / TABLE).read_text(encoding="utf-8"), end="")
    say(f"\nresult.json, table.md and picture.png are in {folder}")


def _describe(experiment: "Experiment[Any]") -> None:
    from dragoman.lab.run import option_lines

    print(f"{experiment.name}: {experiment.title}\n\nClaims of the course notes")
    for one in experiment.hypotheses:
        print(f"  {', '.join(one.ids)}: {one.notes}")
    options = option_lines(experiment.options)
    if options:
        print("\nOptions")
    for typed, meaning in options:
        print(f"  {typed}  {meaning}")
    print(f"\nRun it: dragoman lab run {experiment.name} --quick    or --full")


def _own_options(typed: list[str]) -> dict[str, str]:
    """Read `--key VALUE` and `--key=VALUE`; which keys there are is the experiment's to say."""
    from dragoman.core.errors import ConfigError

    found: dict[str, str] = {}
    remaining = iter(typed)
    for word in remaining:
        key, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or not key:
            raise ConfigError(f"{word}: is not an option. Write it as --key VALUE.")
        answer = value if equals else next(remaining, None)
        if answer is None:
            raise ConfigError(f"{word}: has no value. Write it as {word} VALUE.")
        found[key] = answer
    return found


def _span(ids: tuple[str, ...]) -> str:
    """Write A18, A19, A20 as A18–A20."""
    spans: list[list[str]] = []
    for row in ids:
        last = spans[-1][-1] if spans else ""
        follows = last[:1] == row[:1] and last[1:].isdigit() and int(last[1:]) + 1 == int(row[1:])
        if follows:
            spans[-1].append(row)
        else:
            spans.append([row])
    return ", ".join(one[0] if len(one) == 1 else f"{one[0]}–{one[-1]}" for one in spans)
