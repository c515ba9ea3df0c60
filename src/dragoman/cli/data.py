"""`dragoman data`: public corpora, and corpora made on the spot."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="Fetch a public corpus, or make one.")
make = typer.Typer(no_args_is_help=True, help="Make a corpus by rule: as large as you like.")
app.add_typer(make, name="make")

Output = Annotated[Path | None, typer.Option(help="The TSV to write; without it, stdout.")]


@app.command("list")
def list_entries() -> None:
    """List the corpora that can be fetched, and which are here already."""
    from dragoman.core.cache import cache_folder
    from dragoman.data.corpus.catalogue.entries import ENTRIES
    from dragoman.data.corpus.catalogue.store import present

    rows = [("name", "size", "here", "licence")]
    for entry in ENTRIES:
        here = [
            f"{one.path.stem.removeprefix(entry.name)[1:]} {one.rows:,}".strip()
            if one.unit == "rows"
            else f"{one.rows} {one.unit}"
            for one in present(entry)
        ]
        rows.append((entry.name, entry.size, ", ".join(here) or "no", entry.licence))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True)))
    print(f"\nFetched with: dragoman data get NAME    kept in {cache_folder()}")


@app.command()
def get(
    name: Annotated[str, typer.Argument(help="A name that `dragoman data list` shows.")],
    language: Annotated[
        str, typer.Option(help="The target language, where there is a choice; hi unless given.")
    ] = "",
    output: Annotated[Path | None, typer.Option(help="Copy it to this file or folder.")] = None,
) -> None:
    """Fetch a corpus, once; print where it is. Afterwards it works without a network."""
    from dragoman.core.console import say
    from dragoman.data.corpus.catalogue.entries import find_entry
    from dragoman.data.corpus.catalogue.store import obtain

    entry = find_entry(name)
    ready = obtain(entry, language)
    say(f"{entry.what}: {ready.rows:,} {ready.unit}")
    for reason, count in sorted(ready.dropped.items()):
        say(f"  left out {count:,}: {reason}")
    say(f"licence: {entry.licence}")
    if output is not None:
        _copy(ready.path, output)
    print(output or ready.path)


@make.command()
def grammar(
    pairs: Annotated[int, typer.Option(help="How many.", min=1)] = 20_000,
    difficulty: Annotated[int, typer.Option(help="From 1, short, to 5.", min=1, max=5)] = 4,
    seed: Annotated[int, typer.Option(help="Another seed, other sentences.")] = 1,
    output: Output = None,
    alignments: Annotated[
        Path | None,
        typer.Option(help="Write which word translates which: `0-0 1-2` for each line."),
    ] = None,
) -> None:
    """Write English–Hindi sentences of the embedded grammar."""
    from dragoman.core.files import write_atomic
    from dragoman.data.corpus.generators.grammar.sample import draw_sets

    drawn = draw_sets(pairs=pairs, held_out=0, difficulty=difficulty, seed=seed).train
    _write(((one.source, one.target) for one in drawn), output)
    if alignments is not None:
        links = (" ".join(f"{s}-{t}" for s, t in one.alignment) for one in drawn)
        write_atomic(alignments, "".join(f"{line}\n" for line in links))


@make.command("pig-latin")
def pig_latin(
    words: Annotated[
        int | None,
        typer.Option(help="How many, the most frequent first; 3198 unless given.", min=1),
    ] = None,
    listed: Annotated[
        Path | None, typer.Option("--list", help="Your own words, one on each line.")
    ] = None,
    output: Output = None,
) -> None:
    """Write English words and their Pig Latin; without a list, common words are fetched once."""
    from dragoman.data.corpus.catalogue.entries import find_entry
    from dragoman.data.corpus.catalogue.store import obtain
    from dragoman.data.corpus.generators.pig_latin import SMALL, make_pairs, read_words

    if listed is not None:
        chosen = read_words(listed, words)
    else:
        chosen = read_words(obtain(find_entry("common-words")).path, words or SMALL)
    _write(make_pairs(chosen), output)


def _copy(path: Path, output: Path) -> None:
    from dragoman.core.files import new_folder, write_atomic

    if not path.is_dir():
        write_atomic(output, path.read_bytes())
        return
    with new_folder(output) as beside:
        for file in sorted(path.iterdir()):
            write_atomic(beside / file.name, file.read_bytes())


def _write(rows: Iterable[tuple[str, str]], output: Path | None) -> None:
    from dragoman.core.files import write_atomic

    text = "".join(f"{source}\t{target}\n" for source, target in rows)
    if output is None:
        sys.stdout.write(text)
    else:
        write_atomic(output, text)
