"""`dragoman data`: public corpora, and corpora made on the spot."""

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.data_make import make
from dragoman.cli.help import CliCommand, CliGroup

app = typer.Typer(
    cls=CliGroup, no_args_is_help=True, help="Fetch a public corpus, or generate one."
)
app.add_typer(make, name="make")


@app.command("list", cls=CliCommand)
def list_entries() -> None:
    """List the corpora that can be fetched, and which are cached already."""
    from dragoman.core.cache import cache_folder
    from dragoman.data.corpus.catalogue.entries import ENTRIES
    from dragoman.data.corpus.catalogue.store import present

    rows = [("name", "size", "cached", "license")]
    for entry in ENTRIES:
        here = [
            f"{one.path.stem.removeprefix(entry.name)[1:]} {one.rows:,}".strip()
            if one.unit == "rows"
            else f"{one.rows} {one.unit}"
            for one in present(entry)
        ]
        rows.append((entry.name, entry.size, ", ".join(here) or "no", entry.license))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True)))
    print(f"\nFetch one: dragoman data get NAME (cached in {cache_folder()})")


@app.command(cls=CliCommand)
def get(
    name: Annotated[str, typer.Argument(help="A name from `dragoman data list`.")],
    language: Annotated[
        str,
        typer.Option(metavar="CODE", help="Target language, if there are several. [default: hi]"),
    ] = "",
    output: Annotated[
        Path | None, typer.Option(metavar="PATH", help="Copy it to this file or folder.")
    ] = None,
) -> None:
    """Fetch a corpus once and print its path; from then on it works offline."""
    from dragoman.core.console import say
    from dragoman.data.corpus.catalogue.entries import find_entry
    from dragoman.data.corpus.catalogue.store import obtain

    entry = find_entry(name)
    ready = obtain(entry, language)
    say(f"{entry.what}: {ready.rows:,} {ready.unit}")
    for reason, count in sorted(ready.dropped.items()):
        say(f"  left out {count:,}: {reason}")
    say(f"license: {entry.license}")
    if output is not None:
        _copy(ready.path, output)
    print(output or ready.path)


def _copy(path: Path, output: Path) -> None:
    from dragoman.core.files import new_folder, write_atomic

    if not path.is_dir():
        write_atomic(output, path.read_bytes())
        return
    with new_folder(output) as beside:
        for file in sorted(path.iterdir()):
            write_atomic(beside / file.name, file.read_bytes())
