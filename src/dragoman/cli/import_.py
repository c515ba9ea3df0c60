"""`dragoman import`: networks that other libraries have stored."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.help import CliCommand, CliGroup, folder_option

if TYPE_CHECKING:
    from dragoman.engine.checkpoint.folder import RunFolder
    from dragoman.interop.table import AllowedNames

app = typer.Typer(
    cls=CliGroup, no_args_is_help=True, help="Make a run from another library's model."
)

To = Annotated[Path, folder_option("--to", help="The run folder to make.")]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-missing",
        metavar="NAME",
        help="Tensor that may be missing and is initialized at random; * matches any text.",
    ),
]
Unused = Annotated[
    list[str] | None,
    typer.Option("--allow-unused", metavar="NAME", help="Tensor to leave out; * matches any text."),
]
Ignored = Annotated[
    list[str] | None,
    typer.Option("--ignore-setting", metavar="KEY", help="Key of config.json to ignore."),
]


@app.command(cls=CliCommand)
def huggingface(  # noqa: PLR0913 - one argument for each option
    folder: Annotated[Path, typer.Argument(help="A folder with config.json and safetensors.")],
    to: To,
    allow_missing: Missing = None,
    allow_unused: Unused = None,
    ignore_setting: Ignored = None,
    saved_from: Annotated[
        str | None,
        typer.Option("--as", metavar="CLASS", help="The transformers class that was saved."),
    ] = None,
    tokenizer: Annotated[
        Path | None, folder_option(help="Tokenizer. [default: the same folder]")
    ] = None,
) -> None:
    """Import a Marian, PEGASUS, BERT, RoBERTa, GPT-2, T5, CLIP or Llama model."""
    from dragoman.interop.importing import ImportOptions, import_huggingface

    wishes = ImportOptions(
        allowed=_allowed(allow_missing, allow_unused),
        ignored=tuple(ignore_setting or ()),
        saved_from=saved_from,
        tokenizer=tokenizer,
    )
    _tell(import_huggingface(folder, to, wishes))


@app.command(cls=CliCommand)
def gguf(
    file: Annotated[Path, typer.Argument(help="A GGUF file of a Llama, such as SmolLM2.")],
    to: To,
    allow_missing: Missing = None,
    allow_unused: Unused = None,
) -> None:
    """Import a Llama from a GGUF file, dequantized."""
    from dragoman.interop.importing import ImportOptions, import_gguf

    _tell(import_gguf(file, to, ImportOptions(allowed=_allowed(allow_missing, allow_unused))))


@app.command(cls=CliCommand)
def peft(
    folder: Annotated[Path, typer.Argument(help="A folder with adapter_config.json.")],
    base: Annotated[Path, typer.Option(metavar="RUN", help="The run that the adapter is for.")],
    to: To,
) -> None:
    """Import a LoRA or prefix adapter of peft, together with its base run."""
    from dragoman.interop.peft.run import import_peft

    _tell(import_peft(folder, base, to))


def _allowed(missing: list[str] | None, unused: list[str] | None) -> "AllowedNames":
    from dragoman.interop.table import AllowedNames

    return AllowedNames(tuple(missing or ()), tuple(unused or ()))


def _tell(run: "RunFolder") -> None:
    from dragoman.cli.next_steps import say_next_after_import
    from dragoman.core.console import say

    say(f"{run.card} says what was imported")
    print(run.path)
    say_next_after_import(run.path)
