"""`dragoman new`."""

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.help import file_option


def new(  # noqa: PLR0913 - one argument for each option
    corpus: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="A file of pairs, or two plain files.")
    ],
    time: Annotated[str, typer.Option(help="Time for training: 30m, 2h, 1h30m.")] = "30m",
    output: Annotated[
        Path | None, file_option(help="The recipe to write. [default: named like the corpus]")
    ] = None,
    format: Annotated[
        str | None, typer.Option(help="Format of a single file. [default: by its name]")
    ] = None,
    source_language: Annotated[
        str | None, typer.Option(metavar="CODE", help="Source language. [default: detected]")
    ] = None,
    target_language: Annotated[
        str | None, typer.Option(metavar="CODE", help="Target language. [default: detected]")
    ] = None,
    both_ways: Annotated[
        bool, typer.Option("--both-ways", help="Train one model for both directions.")
    ] = False,
    exportable: Annotated[
        bool,
        typer.Option("--exportable", help="Use only what CTranslate2 and transformers support."),
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite a recipe of this name.")
    ] = False,
) -> None:
    """Write a recipe that fits a corpus, this machine and the time you have."""
    from dragoman.core.console import console, say
    from dragoman.core.duration import seconds_of, written
    from dragoman.core.errors import ConfigError
    from dragoman.core.files import explain_write_error, write_atomic
    from dragoman.planner.count.report import memory
    from dragoman.planner.measure import resident
    from dragoman.planner.new import corpus_of_files, recipe_name
    from dragoman.planner.new import new as choose_recipe

    seconds = seconds_of(time)
    path = output or Path(f"{recipe_name(corpus[0].name.split('.')[0])}.toml")
    if path.resolve() in [file.resolve() for file in corpus]:
        raise ConfigError(f"--output {path}: is the corpus itself. Name another file.")
    if path.exists() and not force:
        raise ConfigError(f"{path}: exists already. Name another with --output, or use --force.")
    settings = {
        "train": [str(file) for file in corpus],
        "format": format,
        "source_language": source_language or _suffix(corpus, 0),
        "target_language": target_language or _suffix(corpus, -1),
        "both_ways": both_ways or None,
    }
    tree = {key: value for key, value in settings.items() if value is not None}
    with console.status("reading the corpus, then timing a few steps"):
        made = choose_recipe(
            recipe_name(path.stem),
            corpus_of_files(tree),
            seconds,
            folder=path.parent,
            exportable=exportable,
        )
    with explain_write_error(path):
        write_atomic(path, made.text)
    steps = made.recipe.training.steps
    say(
        f"{made.facts.pairs:,} pairs; {made.speed.parameters:,} parameters; {steps:,} steps in "
        f"about {written(steps * made.speed.seconds)}, plus validation; about "
        f"{memory(resident(made.speed))} of memory"
    )
    print(path)
    say(f"next:  dragoman train {path}")


def _suffix(corpus: list[Path], which: int) -> str | None:
    """Return the language that the name of one of two plain files ends in, as `text.en`."""
    if len(corpus) != 2:
        return None
    parts = [
        part
        for part in corpus[which].name.split(".")[1:]
        if part not in ("gz", "bz2", "xz", "zst", "txt")
    ]
    return parts[-1] if parts and 2 <= len(parts[-1]) <= 3 and parts[-1].isalpha() else None
