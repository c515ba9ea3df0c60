"""`dragoman translate`."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dragoman.cli import translate_files as whole_files
from dragoman.cli import translate_lines as single_lines

if TYPE_CHECKING:
    from dragoman.pipeline.translator import Translator

for_model = partial(typer.Option, rich_help_panel="Model")
for_search = partial(typer.Option, rich_help_panel="Search")
SearchOption = Annotated[
    Literal["beam", "sample", "mbr"] | None,
    for_search(
        metavar="beam|sample|mbr",
        help="Beam search, sampling or minimum Bayes risk. [default: the run's]",
    ),
]


def translate(  # noqa: PLR0913 - one argument for each option
    run: Annotated[Path, typer.Argument(help="The run folder.")],
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE", help="Files to translate; without any, lines from stdin."),
    ] = None,
    to: Annotated[
        str | None, for_model(metavar="LANGUAGE", help="Target language, if the model has several.")
    ] = None,
    also: Annotated[
        list[Path] | None,
        for_model("--ensemble", metavar="RUN", help="Another run to ensemble with; repeatable."),
    ] = None,
    engine: Annotated[
        Literal["torch", "ctranslate2"],
        for_model(metavar="torch|ctranslate2", help="Inference engine."),
    ] = "torch",
    glossary: Annotated[
        Path | None,
        for_model(metavar="FILE", help="Terms: TSV of term and translation (none: leave as is)."),
    ] = None,
    memory: Annotated[
        Path | None,
        for_model(metavar="FILE", help="Translation memory to reuse: TMX, XLIFF, PO or TSV."),
    ] = None,
    search: SearchOption = None,
    beam: Annotated[
        int | None,
        for_search(metavar="N", help="Beam size; 1 is greedy. [default: the run's]", min=1),
    ] = None,
    samples: Annotated[
        int | None, for_search(metavar="N", help="Samples drawn for mbr.", min=1)
    ] = None,
    seed: Annotated[int | None, for_search(metavar="N", help="Seed of sampling.", min=0)] = None,
    change: Annotated[
        list[str] | None,
        for_search("--set", metavar="KEY=VALUE", help="A decoding setting; repeatable."),
    ] = None,
    raw: single_lines.RawOption = False,
    nbest: single_lines.NbestOption = 1,
    scores: single_lines.ScoresOption = False,
    prefix: single_lines.PrefixOption = "",
    prefixes: single_lines.PrefixesOption = None,
    term: single_lines.TermOption = None,
    attention: single_lines.AttentionOption = None,
    output: whole_files.OutputOption = None,
    in_place: whole_files.InPlaceOption = False,
    force: whole_files.ForceOption = False,
    everything: whole_files.AllOption = False,
    min_confidence: whole_files.ConfidenceOption = 0.0,
    column: whole_files.ColumnOption = "",
    into: whole_files.IntoOption = "",
) -> None:
    """Translate lines from stdin to stdout, or whole files, keeping their format.

    Lines and files go through the same pipeline: sentences are split, placeholders, tags and
    numbers survive. --raw is the bare network.
    """
    from dragoman.cli.contradictions import refuse_both
    from dragoman.pipeline.translator import Translator

    asked = whole_files.FileOptions(
        output, in_place, force, everything, min_confidence, column, into
    )
    lines = single_lines.LineOptions(raw, nbest, scores, prefix, prefixes, term or (), attention)
    _check_options(bool(files), asked != whole_files.FileOptions(), lines, glossary or memory)
    single_lines.check_lines(lines, bool(also))
    _check_search(search, beam, samples, seed, change or [])
    refuse_both({"--in-place": in_place, "--output": output})
    translator = Translator.load(
        run, also=also or (), engine=engine, glossary=glossary, memory=memory
    )
    named = {"search": search, "samples": samples, "seed": seed}
    translator = _searching(translator, named, change or [])
    if files:
        whole_files.translate_files(translator, files, replace(asked, to=to, beam=beam))
    else:
        single_lines.translate_lines(translator, lines, to, beam)


def _searching(
    translator: "Translator", named: Mapping[str, int | str | None], changes: list[str]
) -> "Translator":
    """Have the translator search as the options say."""
    given = [f"{key}={value}" for key, value in named.items() if value is not None]
    return translator.with_settings([*given, *changes])


def _check_options(
    files: bool, files_asked: bool, lines: single_lines.LineOptions, book: Path | None
) -> None:
    """Refuse options that do not fit what is translated, before anything is."""
    from dragoman.core.errors import ConfigError

    if files and lines != single_lines.LineOptions():
        raise ConfigError(
            "--raw, --nbest, --scores, --prefix, --prefixes, --term and --attention are for lines. "
            "Leave them out, or pass the file on stdin: < FILE."
        )
    if not files and files_asked:
        raise ConfigError(
            "--output, --in-place, --force, --all, --min-confidence, --column and --into are for "
            "files. Name a file, or leave them out."
        )
    if book is not None and lines.needs_raw:
        raise ConfigError(
            f"{lines.needs_raw} asks the bare network, which knows no --glossary and no --memory. "
            "Leave one of them out."
        )


def _check_search(
    search: str | None, beam: int | None, samples: int | None, seed: int | None, changes: list[str]
) -> None:
    """Refuse options of one search beside another, and what is set twice."""
    from dragoman.cli.contradictions import refuse_beside, refuse_set_twice

    of_beam, of_samples = {"--beam": beam}, {"--samples": samples, "--seed": seed is not None}
    if search == "beam":
        refuse_beside("--search beam", of_samples, "which draws no samples")
    elif search is not None:
        refuse_beside(f"--search {search}", of_beam, "which has no beam")
    given = {"search": search, "beam": beam, "samples": samples, "seed": seed}
    refuse_set_twice(given, changes)
