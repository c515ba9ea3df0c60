"""`dragoman lab`: statements about sequence models, put to the test."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from dragoman.lab.experiment import Subject

app = typer.Typer(no_args_is_help=True, help="Put what the course notes say to the test.")

OWN_OPTIONS = {"allow_extra_args": True, "ignore_unknown_options": True}


@app.command("list")
def list_subjects(
    name: Annotated[
        str | None, typer.Argument(help="Tell all about this one: statements, options.")
    ] = None,
) -> None:
    """List the subjects, or tell all about one."""
    from dragoman.lab.catalogue import find_subject, subjects

    if name is not None:
        _describe(find_subject(name))
        return
    rows = [(one.name, one.title, _span(one.ledger)) for one in subjects().values()]
    width = max((len(row[0]) for row in rows), default=0)
    for subject, title, ledger in rows:
        print(f"{subject.ljust(width)}  {title} ({ledger})")
    print("\nMeasured with: dragoman lab run NAME    told with: dragoman lab list NAME")


@app.command(context_settings=OWN_OPTIONS)
def run(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="A name that `dragoman lab list` shows.")],
    full: Annotated[
        bool,
        typer.Option("--full/--quick", help="Up to an hour, or at most three minutes."),
    ] = False,
    seeds: Annotated[
        str, typer.Option(help="Such as 1,2,3; unless given, the subject's own.")
    ] = "",
    output: Annotated[
        Path | None, typer.Option(help="The folder to write into. [default: lab/NAME-SIZE]")
    ] = None,
    jobs: Annotated[
        int, typer.Option(min=0, help="Trials run at the same time; 0: one per core.")
    ] = 0,
) -> None:
    """Measure a subject, and say what becomes of its statements; run again, it goes on.

    Further options belong to the subject: `dragoman lab list NAME` tells them.
    """
    from dragoman.cli.seeds import seeds_of
    from dragoman.core.console import say
    from dragoman.engine.training.interruption import Interrupted
    from dragoman.lab.catalogue import find_subject
    from dragoman.lab.experiment import Size
    from dragoman.lab.results import TABLE
    from dragoman.lab.running import run_subject
    from dragoman.trials.workers import most_at_once

    size: Size = "full" if full else "quick"
    folder = output or Path("lab") / f"{name}-{size}"
    subject = find_subject(name)
    own = _own_options(context.args)
    try:
        chosen = seeds_of(seeds) if seeds else []
        run_subject(
            subject, size, folder, seeds=chosen, options=own, at_once=jobs or most_at_once()
        )
    except Interrupted as interrupted:
        raise typer.Exit(interrupted.exit_code) from None
    print((folder / TABLE).read_text(encoding="utf-8"), end="")
    say(f"\nresult.json, table.md and picture.png are in {folder}")


def _describe(subject: "Subject[Any]") -> None:
    from dragoman.lab.running import option_lines

    print(f"{subject.name}: {subject.title}\n\nThe notes say that")
    for one in subject.statements:
        print(f"  {', '.join(one.ledger)}: {one.notes}")
    options = option_lines(subject.options)
    if options:
        print("\nOptions of its own")
    for typed, meaning in options:
        print(f"  {typed}  {meaning}")
    print(f"\nMeasured with: dragoman lab run {subject.name} --quick    or --full")


def _own_options(typed: list[str]) -> dict[str, str]:
    """Read `--key VALUE` and `--key=VALUE`; which keys there are is the subject's to say."""
    from dragoman.core.errors import ConfigError

    found: dict[str, str] = {}
    remaining = iter(typed)
    for word in remaining:
        key, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or not key:
            raise ConfigError(f"{word}: is not an option. Write it as --key VALUE.")
        answer = value if equals else next(remaining, None)
        if answer is None:
            raise ConfigError(f"{word}: nothing follows it. Write it as {word} VALUE.")
        found[key] = answer
    return found


def _span(ledger: tuple[str, ...]) -> str:
    """Write A18, A19, A20 as A18–A20."""
    spans: list[list[str]] = []
    for row in ledger:
        last = spans[-1][-1] if spans else ""
        follows = last[:1] == row[:1] and last[1:].isdigit() and int(last[1:]) + 1 == int(row[1:])
        if follows:
            spans[-1].append(row)
        else:
            spans.append([row])
    return ", ".join(one[0] if len(one) == 1 else f"{one[0]}–{one[-1]}" for one in spans)
