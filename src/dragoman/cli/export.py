"""`dragoman export`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

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
        Path, typer.Argument(help="The folder to write; for Argos a file NAME.argosmodel.")
    ],
    to: Annotated[Library, typer.Option("--to", help="The library it is for.")] = "huggingface",
    quantization: Annotated[
        Quantization | None,
        typer.Option(help="How weights are stored for CTranslate2 and Argos. [default: int8]"),
    ] = None,
    average: Annotated[
        bool, typer.Option("--average", help="Export the mean of the run's best weights.")
    ] = False,
    proof: Annotated[
        Path | None,
        typer.Option(
            help="Sentences to compare with: a TSV of pairs, or lines. [default: held-out ones]"
        ),
    ] = None,
    no_proof: Annotated[
        bool, typer.Option("--no-proof", help="Do not compare the translations.")
    ] = False,
    languages: Annotated[
        str | None, typer.Option(help="The codes of an Argos package's languages: en,es.")
    ] = None,
) -> None:
    """Write a run for another library; what is written is read back and compared."""
    from dragoman.core.errors import ConfigError

    if proof is not None and no_proof:
        raise ConfigError("--proof and --no-proof contradict each other. Leave out one.")
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
    say(f"transformers reads it by {done.reader}.from_pretrained({str(folder)!r})")
    if not done.with_tokenizer:
        say(f"its tokenizer has no like there and stays in {run / 'tokenizer.json'}", "yellow")


def _peft(run: Path, folder: Path) -> None:
    from dragoman.core.console import say
    from dragoman.interop.peft.run import export_peft

    on = export_peft(run, folder)
    say(f"peft puts it on the network of {on}: PeftModel.from_pretrained(network, {str(folder)!r})")


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
        say("not proved: the run has no held-out sentences. Give some by --proof FILE.", "yellow")
    else:
        say("not proved, as asked.", "yellow")
