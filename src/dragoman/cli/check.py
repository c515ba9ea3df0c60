"""`dragoman check`."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.help import file_option

if TYPE_CHECKING:
    from dragoman.config.corpus import FilesCorpus
    from dragoman.data.corpus.doctor.report import CorpusReport

STYLES = {"refuse": "bold red", "drop": "yellow", "repair": "cyan", "keep": "none"}


def check(
    corpus: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="A file of pairs, two plain files, or a recipe."),
    ],
    format: Annotated[
        str | None, typer.Option(help="Format of a single file. [default: by its name]")
    ] = None,
    source_language: Annotated[
        str | None, typer.Option(metavar="CODE", help="Source language, such as en.")
    ] = None,
    target_language: Annotated[
        str | None, typer.Option(metavar="CODE", help="Target language, such as hi.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    listing: Annotated[
        Path | None, file_option("--list", help="Write every affected line to this file.")
    ] = None,
) -> None:
    """Check a corpus: what training would refuse, drop, repair or keep, and on which lines."""
    from dragoman.core.console import console

    changes = {
        "format": format,
        "source_language": source_language,
        "target_language": target_language,
    }
    parts = _parts(corpus, {key: value for key, value in changes.items() if value})
    with console.status("checking every pair"):
        reports = _examine(parts, listing)
    if as_json:
        found = [report.to_json() for report in reports]
        print(json.dumps(found[0] if len(found) == 1 else found, ensure_ascii=False, indent=1))
    else:
        for report in reports:
            _print_table(report)
    if any(report.refused for report in reports):
        raise typer.Exit(2)


def _examine(parts: "Sequence[FilesCorpus]", listing: Path | None) -> "list[CorpusReport]":
    """Examine each part; a list of all lines is in no report that was kept, so it is made anew."""
    from dragoman.core.errors import ConfigError
    from dragoman.core.files import explain_write_error
    from dragoman.data.corpus.doctor.examine import examine
    from dragoman.data.corpus.doctor.report_cache import examine_once

    if listing is None:
        return [examine_once(part) for part in parts]
    if listing.resolve() in [path.resolve() for part in parts for path in _files(part)]:
        raise ConfigError(f"--list {listing}: is a file of the corpus. Name another one.")
    with explain_write_error(listing), listing.open("w", encoding="utf-8") as file:
        return [examine(part, file) for part in parts]


def _parts(corpus: list[Path], changes: dict[str, str]) -> "Sequence[FilesCorpus]":
    from dragoman.config.corpus import FilesCorpus, SeveralCorpus
    from dragoman.config.reading import read_recipe, recipe_from_tree
    from dragoman.core.errors import ConfigError

    if len(corpus) == 1 and corpus[0].suffix == ".toml":
        words = [f"corpus.{key}={json.dumps(value)}" for key, value in changes.items()]
        found = read_recipe(corpus[0], words).corpus
    else:
        tree = {"name": "check", "corpus": {"train": [str(path) for path in corpus], **changes}}
        found = recipe_from_tree(tree, "check").corpus
    if isinstance(found, SeveralCorpus):
        return _there(found.parts)
    if not isinstance(found, FilesCorpus):
        raise ConfigError(f"{corpus[0]}: its corpus is generated; there are no files to check.")
    return _there([found])


def _there(parts: "Sequence[FilesCorpus]") -> "Sequence[FilesCorpus]":
    """Refuse a file that is missing before the others are read."""
    from dragoman.data.formats.compression import open_bytes

    for part in parts:
        for path in _files(part):
            if not path.exists():
                open_bytes(path)  # which says so, with the name of a file that is there
    return parts


def _files(part: "FilesCorpus") -> list[Path]:
    sets = (part.train, part.valid, part.test, part.extra)
    return [path for files in sets for path in files or ()]


def _print_table(report: "CorpusReport") -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    out = Console(highlight=False)
    counted = ", ".join(f"{count:,} in {name}" for name, count in report.pairs.items())
    out.print(f"Pairs: {counted}. Languages identified on {report.sampled:,}.", markup=False)
    if report.findings:
        table = Table("training will", "count", "finding", "first lines", "example")
        for one in report.findings:
            lines = ", ".join(map(str, one.lines)) + (" …" if one.count > len(one.lines) else "")
            table.add_row(
                Text(one.treatment, STYLES[one.treatment]),
                f"{one.count:,}",
                one.symptom.words,
                Text(f"{one.set}, {one.file.name}: {lines}"),
                Text(one.example),
            )
        out.print(table)
    else:
        out.print("No problems found.")
    verdict = "Training would REFUSE this corpus." if report.refused else "Ready for training."
    out.print(verdict, style="bold red" if report.refused else "bold green")
