"""`dragoman export`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import typer

from dragoman.cli.help import file_option

if TYPE_CHECKING:
    from dragoman.interop.proof import Proof
    from dragoman.interop.to_ctranslate2 import ExportOptions

Library = Literal["huggingface", "ctranslate2", "argos", "peft"]
Quantization = Literal[
    "float32", "float16", "bfloat16", "int16", "int8", "int8_float16", "int8_bfloat16"
]


def export(  # noqa: PLR0913 - one argument for each option
    run: Annotated[Path, typer.Argument(help="The run folder.")],
    folder: Annotated[
        Path, typer.Argument(help="The folder to write; for Argos, a file NAME.argosmodel.")
    ],
    to: Annotated[
        Library, typer.Option(metavar="LIBRARY", help=f"One of {', '.join(get_args(Library))}.")
    ] = "huggingface",
    quantization: Annotated[
        Quantization | None,
        typer.Option(
            metavar="TYPE",
            help=f"CTranslate2 and Argos: {', '.join(get_args(Quantization))}. [default: int8]",
        ),
    ] = None,
    average: Annotated[
        bool, typer.Option("--average", help="Export the average of the run's best checkpoints.")
    ] = False,
    proof: Annotated[
        Path | None, file_option(help="Sentences to compare. [default: held-out ones]")
    ] = None,
    no_proof: Annotated[
        bool, typer.Option("--no-proof", help="Skip the comparison of translations.")
    ] = False,
    languages: Annotated[
        str | None, typer.Option(metavar="CODE,CODE", help="Languages of an Argos package: en,es.")
    ] = None,
) -> None:
    """Export a run to another library, then read it back and compare the translations."""
    from dragoman.cli.contradictions import refuse_both
    from dragoman.core.errors import ConfigError

    refuse_both({"--proof": proof, "--no-proof": no_proof})
    if languages is not None and to != "argos":
        raise ConfigError("--languages is for --to argos. Leave it out.")
    from dragoman.interop.to_ctranslate2 import ExportOptions

    if to == "peft":
        if quantization or average or proof or no_proof:
            raise ConfigError("--to peft takes no other option: an adapter is written as it is.")
        _peft(run, folder)
    elif to == "huggingface":
        if quantization is not None:
            raise ConfigError("--quantization is for --to ctranslate2 and argos. Leave it out.")
        _huggingface(
            run, folder, ExportOptions(average=average, proof=not no_proof, proof_file=proof)
        )
    else:
        wishes = ExportOptions(quantization or "int8", average, not no_proof, proof)
        if to == "ctranslate2":
            _ctranslate2(run, folder, wishes)
        else:
            _argos(run, folder, wishes, languages)
    print(folder)


def _huggingface(run: Path, folder: Path, wishes: "ExportOptions") -> None:
    from dragoman.core.console import say
    from dragoman.interop.to_huggingface import export_and_prove

    done = export_and_prove(run, folder, wishes)
    if done.translates:
        _tell(done.proof, asked=wishes.proof)
    say(f"load it in transformers: {done.reader}.from_pretrained({str(folder)!r})")
    if not done.with_tokenizer:
        say(f"transformers has no such tokenizer; use {run / 'tokenizer.json'}", "yellow")


def _peft(run: Path, folder: Path) -> None:
    from dragoman.core.console import say
    from dragoman.interop.peft.run import export_peft

    on = export_peft(run, folder)
    say(f"peft puts it on the network of {on}: PeftModel.from_pretrained(network, {str(folder)!r})")
    if (Path(on) / "recipe.toml").is_file():
        say(f"next:  dragoman export {on} FOLDER --to huggingface")


def _ctranslate2(run: Path, folder: Path, wishes: "ExportOptions") -> None:
    from dragoman.core.console import say
    from dragoman.interop.to_ctranslate2 import export_ctranslate2

    _tell(export_ctranslate2(run, folder, wishes), asked=wishes.proof)
    say(f"next:  dragoman translate {folder} --engine ctranslate2")


def _argos(run: Path, file: Path, wishes: "ExportOptions", languages: str | None) -> None:
    from dragoman.core.console import say
    from dragoman.core.errors import ConfigError
    from dragoman.interop.argos import export_argos

    pair = None
    if languages is not None:
        source, _, target = (part.strip() for part in languages.partition(","))
        if not (source.isalnum() and target.isalnum()):
            raise ConfigError(f"--languages {languages}: give two codes, as in en,es.")
        pair = source, target
    _tell(export_argos(run, file, wishes, pair), asked=wishes.proof)
    say(f"next:  argospm install {file}")


def _tell(proof: "Proof | None", *, asked: bool) -> None:
    """Say what was proved, and if nothing was."""
    from dragoman.core.console import say

    if proof is not None:
        say(f"compared with the run on {proof.sentences} sentences of {proof.name!r}")
        for line in proof.lines():
            say(line)
    elif asked:
        say("not compared: the run has no held-out sentences. Give some: --proof FILE", "yellow")
    else:
        say("not compared (--no-proof)", "yellow")
