"""`dragoman import`: networks that other libraries have stored."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from dragoman.engine.checkpoint.folder import RunFolder
    from dragoman.interop.table import AllowedNames

app = typer.Typer(no_args_is_help=True, help="Make a run of a network from elsewhere.")

To = Annotated[Path, typer.Option("--to", help="The run folder to make.")]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-missing",
        metavar="NAME",
        help="A tensor that may be missing, and begins with fresh numbers; * is any text.",
    ),
]
Unused = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-unused", metavar="NAME", help="A tensor that may be left out; * is any text."
    ),
]
Ignored = Annotated[
    list[str] | None,
    typer.Option("--ignore-setting", metavar="KEY", help="A key of config.json to pass over."),
]


@app.command()
def huggingface(  # noqa: PLR0913 - one argument for each option
    folder: Annotated[Path, typer.Argument(help="A folder with config.json and safetensors.")],
    to: To,
    allow_missing: Missing = None,
    allow_unused: Unused = None,
    ignore_setting: Ignored = None,
    saved_from: Annotated[
        str | None, typer.Option("--as", metavar="CLASS", help="The class whose tensors these are.")
    ] = None,
    tokenizer: Annotated[
        Path | None, typer.Option(help="The folder of the tokenizer, if it is another.")
    ] = None,
) -> None:
    """Import Marian, PEGASUS, BERT, RoBERTa, GPT-2, T5, CLIP or a Llama, every tensor of it."""
    from dragoman.interop.importing import ImportOptions, import_huggingface

    wishes = ImportOptions(
        allowed=_allowed(allow_missing, allow_unused),
        ignored=tuple(ignore_setting or ()),
        saved_from=saved_from,
        tokenizer=tokenizer,
    )
    _tell(import_huggingface(folder, to, wishes))


@app.command()
def gguf(
    file: Annotated[Path, typer.Argument(help="A GGUF file of a Llama, such as SmolLM2.")],
    to: To,
    allow_missing: Missing = None,
    allow_unused: Unused = None,
) -> None:
    """Import a Llama from a GGUF file; packed numbers are unpacked."""
    from dragoman.interop.importing import ImportOptions, import_gguf

    _tell(import_gguf(file, to, ImportOptions(allowed=_allowed(allow_missing, allow_unused))))


@app.command()
def peft(
    folder: Annotated[Path, typer.Argument(help="A folder with adapter_config.json.")],
    base: Annotated[Path, typer.Option(help="The run whose network the adapter was trained on.")],
    to: To,
) -> None:
    """Import a LoRA or a prefix that peft has stored, with the run that it belongs on."""
    from dragoman.interop.peft.run import import_peft

    _tell(import_peft(folder, base, to))


def _allowed(missing: list[str] | None, unused: list[str] | None) -> "AllowedNames":
    from dragoman.interop.table import AllowedNames

    return AllowedNames(tuple(missing or ()), tuple(unused or ()))


def _tell(run: "RunFolder") -> None:
    from dragoman.core.console import say

    say(f"what was taken over is in {run.card}")
    print(run.path)
