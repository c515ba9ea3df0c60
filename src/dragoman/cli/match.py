"""`dragoman match`."""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from dragoman.tasks.image_text.matcher import Match


def match(
    run: Annotated[Path, typer.Argument(help="The run folder of a network that matches.")],
    images: Annotated[
        list[Path] | None, typer.Argument(help="Pictures to rank, or folders of them.")
    ] = None,
    text: Annotated[
        list[str] | None, typer.Option("--text", help="A caption; may be repeated.")
    ] = None,
    image: Annotated[
        list[Path] | None,
        typer.Option("--image", help="A picture whose captions are ranked; may be repeated."),
    ] = None,
    top: Annotated[int, typer.Option(help="Matches shown for each.", min=1)] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Rank pictures by how well they match a text, or texts by how well they match a picture.

    dragoman match RUN --text "a red heart" PICTURES ranks the pictures; dragoman match RUN --image
    PICTURE --text "a cat" --text "a dog" ranks the texts, and with a text for each class it sorts
    pictures that it was never trained to sort. Without --text, each line of stdin is one. Each line
    that comes out is what was asked for, a match, its probability among all that were given, and
    its likeness (the cosine), with tabs between.
    """
    from dragoman.core.errors import DataError
    from dragoman.tasks.image_text.matcher import Matcher, image_files

    if bool(images) == bool(image):
        raise DataError(
            "Give either pictures to be ranked for a --text, or with --image the picture that "
            "texts are ranked for."
        )
    texts = [line for line in text or (line.rstrip("\r\n") for line in sys.stdin) if line.strip()]
    if not texts:
        raise DataError("--text: there is no text to match. Give one, or several.")
    if images:
        files = image_files(images)
        found = zip(texts, Matcher.load(run).find_images(texts, files), strict=True)
    else:
        files = image_files(image or [])
        asked = [str(path) for path in files]
        found = zip(asked, Matcher.load(run).find_texts(files, texts), strict=True)
    _print(((one, ranked[:top]) for one, ranked in found), as_json)


def _print(found: "Iterable[tuple[str, list[Match]]]", as_json: bool) -> None:
    from dataclasses import asdict

    if as_json:
        for asked, ranked in found:
            row = {"asked": asked, "matches": [asdict(one) for one in ranked]}
            print(json.dumps(row, ensure_ascii=False))
    elif sys.stdout.isatty():
        _print_tables(found)
    else:
        for asked, ranked in found:
            for one in ranked:
                print(f"{asked}\t{one.candidate}\t{one.probability:.4f}\t{one.likeness:.4f}")


def _print_tables(found: "Iterable[tuple[str, list[Match]]]") -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False)
    for asked, ranked in found:
        table = Table(title=escape(asked), title_justify="left")
        table.add_column("match", overflow="fold")
        for title in ("probability", "likeness"):
            table.add_column(title, justify="right")
        for one in ranked:
            table.add_row(escape(one.candidate), f"{one.probability:.1%}", f"{one.likeness:.3f}")
        console.print(table)
