"""`dragoman export`."""

from pathlib import Path
from typing import Annotated, Literal

import typer


def export(
    run: Annotated[Path, typer.Argument(help="The run folder.")],
    folder: Annotated[Path, typer.Argument(help="The folder to write.")],
    to: Annotated[
        Literal["huggingface"], typer.Option("--to", help="The library it is for.")
    ] = "huggingface",
) -> None:
    """Write a run for another library; what is written is read back and compared."""
    from dragoman.core.console import say
    from dragoman.engine.interop.exporting import export_huggingface

    reader, with_tokenizer = export_huggingface(run, folder)
    say(f"transformers reads it by {reader}.from_pretrained({str(folder)!r})")
    if not with_tokenizer:
        say(f"its tokenizer is Dragoman's own and stays in {run / 'tokenizer.json'}", "yellow")
    print(folder)
