"""`dragoman match`."""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.help import file_option, number_option

if TYPE_CHECKING:
    from dragoman.tasks.image_text.matcher import Match


def match(
    run: Annotated[Path, typer.Argument(help="The run folder of an image–text model.")],
    images: Annotated[
        list[Path] | None, typer.Argument(metavar="IMAGE", help="Images to rank, or folders.")
    ] = None,
    text: Annotated[list[str] | None, typer.Option("--text", help="A text; repeatable.")] = None,
    image: Annotated[
        list[Path] | None, file_option("--image", help="An image to rank texts for; repeatable.")
    ] = None,
    top: Annotated[int, number_option(help="Matches for each query.", min=1)] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")] = False,
) -> None:
    """Rank images by how well they match a text, or texts by how well they match an image.

    dragoman match RUN --text "a red heart" IMAGES ranks images; dragoman match RUN --image FILE
    --text "a cat" --text "a dog" ranks texts, which is zero-shot classification if there is a text
    for each class. Without --text, each line of stdin is one. Each line of the output is the query,
    a match, its probability among all candidates, and its cosine similarity, tab-separated.
    """
    from dragoman.core.errors import DataError
    from dragoman.data.formats.text_stream import text_lines
    from dragoman.tasks.image_text.matcher import Matcher, image_files

    if bool(images) == bool(image):
        raise DataError(
            "Give either images to rank for a --text, or an --image to rank texts for, not both."
        )
    texts = [line for line in text or text_lines(sys.stdin.buffer, "stdin") if line.strip()]
    if not texts:
        raise DataError("--text: there is no text to match. Give at least one.")
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
        for title in ("probability", "similarity"):
            table.add_column(title, justify="right")
        for one in ranked:
            table.add_row(escape(one.candidate), f"{one.probability:.1%}", f"{one.likeness:.3f}")
        console.print(table)
