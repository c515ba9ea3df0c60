"""`dragoman data make shapes`: pictures of coloured shapes, by class or with captions."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import typer

from dragoman.cli.help import folder_option, number_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dragoman.data.corpus.generators.shapes import ShapeImages

Captions = Literal["none", "en", "hi", "both"]

TABLE = "captions.tsv"


def shapes(  # noqa: PLR0913 - one argument for each option
    output: Annotated[Path, folder_option(help="The folder to write; it must not exist.")],
    number: Annotated[int, number_option(help="Number of images.", min=1)] = 1000,
    size: Annotated[int, number_option(help="Height and width in pixels.", min=8, max=1024)] = 64,
    captions: Annotated[
        Captions,
        typer.Option(metavar="|".join(get_args(Captions)), help="Languages of captions.tsv."),
    ] = "none",
    detail: Annotated[
        int,
        typer.Option(
            metavar="1-3", help="Captions name shape, colour (2), size (3).", min=1, max=3
        ),
    ] = 3,
    pairs: Annotated[
        float | None,
        typer.Option(metavar="P", help="Share with two shapes. [default: 0.5]", min=0, max=1),
    ] = None,
    seed: Annotated[int, number_option(help="Seed of sampling.", min=0)] = 1,
) -> None:
    """Generate images of coloured shapes: a folder for each class, or one with captions.tsv."""
    from dragoman.core.errors import DataError
    from dragoman.core.files import new_folder
    from dragoman.data.corpus.generators.shapes import draw_shapes

    if output.exists():
        raise DataError(f"{output}: exists already. Name another folder.")
    if captions == "none" and pairs:
        raise DataError("--pairs needs --captions: an image of two shapes has no one class.")
    if pairs is None:
        pairs = 0.0 if captions == "none" else 0.5
    drawn = draw_shapes(number, size, seed, pairs=pairs)
    folders = drawn.classes if captions == "none" else ("images",) * number
    digits = len(str(number))
    files = [f"{name}/{place:0{digits}}.png" for place, name in enumerate(folders, start=1)]
    with new_folder(output) as beside:
        _write_pictures(beside, files, drawn)
        if captions != "none":
            (beside / TABLE).write_text(_table(drawn, files, captions, detail), encoding="utf-8")


def _write_pictures(output: Path, files: "Sequence[str]", drawn: "ShapeImages") -> None:
    from dragoman.core.errors import ConfigError

    try:
        from PIL.Image import fromarray
    except ImportError:
        install = "pip install 'dragoman[vision]'"
        raise ConfigError(f"Writing images needs Pillow. Install it: {install}") from None
    for folder in {Path(file).parent for file in files}:
        (output / folder).mkdir()
    for file, image in zip(files, drawn.images, strict=True):
        fromarray(image).save(output / file)


def _table(drawn: "ShapeImages", files: "Sequence[str]", captions: Captions, detail: int) -> str:
    """Return a line for each picture and language: the file, what it shows, the language."""
    rows = []
    for language in ("en", "hi"):
        if captions in (language, "both"):
            said = drawn.captions(language, detail)
            rows += [
                f"{file}\t{words}\t{language}\n" for file, words in zip(files, said, strict=True)
            ]
    return "".join(rows)
