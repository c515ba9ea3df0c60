"""`dragoman evaluate`."""

import json
from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.evaluate_translations import evaluate_forgotten, evaluate_translations
from dragoman.cli.evaluate_trust import evaluate_trust


def evaluate(  # noqa: PLR0913 - one argument for each option
    run: Annotated[Path, typer.Argument(help="The run folder.")],
    test: Annotated[
        list[Path] | None,
        typer.Argument(help="One TSV, or two files; without it, the run's own test sets."),
    ] = None,
    to: Annotated[
        str | None, typer.Option(help="The language of the test's targets, if several are written.")
    ] = None,
    beam: Annotated[int | None, typer.Option(help="Hypotheses kept.", min=1)] = None,
    against: Annotated[
        Path | None, typer.Option(help="Another run, compared by paired bootstrap.")
    ] = None,
    also: Annotated[
        list[Path] | None,
        typer.Option("--ensemble", help="Another run to translate with as one; may be repeated."),
    ] = None,
    forgotten: Annotated[
        bool, typer.Option("--forgotten", help="Judge it on the tests of the run it started from.")
    ] = False,
    confidence: Annotated[
        bool, typer.Option("--confidence", help="Learn how likely a translation is good; check it.")
    ] = False,
    robustness: Annotated[
        bool, typer.Option("--robustness", help="Judge it on text as people type it.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score a run: BLEU, chrF and TER by sacrebleu, with signature and confidence interval.

    A language model is scored by perplexity and bits per byte, a masked one by the hidden words it
    guesses, one that writes spans by those it restores, a classifier of texts or pictures by its
    right answers, a tagger by the labels of words and by entities, an autoencoder by the pixels it
    rebuilds, one that matches pictures and texts by what it finds, or by how it sorts the pictures
    of folders by their names.
    """
    from dragoman.config.reading import read_recipe
    from dragoman.engine.checkpoint.folder import trained_run

    files = test or []
    task = read_recipe(trained_run(run).recipe).task
    if "translate" not in task.verbs:
        for_translators: dict[str, object] = {
            **{"--to": to, "--beam": beam, "--against": against, "--ensemble": also},
            **{"--confidence": confidence, "--robustness": robustness},
        }
        _refuse(for_translators, f"is for translators, not for task.kind = {task.kind!r}.")
        _evaluate(run, files, as_json)
    elif forgotten:
        evaluate_forgotten(run, beam, as_json)
    elif confidence or robustness:
        beside = {"TEST": test, "--to": to, "--against": against, "--ensemble": also}
        _refuse(
            {**beside, "--beam": beam if confidence else None},
            "does not go with --confidence or --robustness: these take the run's own sets. Leave "
            "it out.",
        )
        evaluate_trust(run, beam, as_json, confidence=confidence, robustness=robustness)
    else:
        evaluate_translations(run, files, to, beam, against, also or [], as_json)


def _refuse(options: dict[str, object], why: str) -> None:
    """Refuse options that say nothing to this run."""
    from dragoman.core.errors import ConfigError

    for name, value in options.items():
        if value:
            raise ConfigError(f"{name} {why}")


def _evaluate(run: Path, files: list[Path], as_json: bool) -> None:
    """Judge a run as its task does, and print what was found."""
    from dragoman.core.console import progress_bar
    from dragoman.tasks.open import kind_of_run

    kind = kind_of_run(run)
    total = sum(map(len, kind.tests(run, files).values()))
    with progress_bar(kind.progress, total) as bar:
        judged = kind.evaluate(run, files, bar.advance)
    if as_json:
        whole = [{"name": one.name, **one.summary()} for one in judged]
        print(json.dumps(whole, ensure_ascii=False, indent=1))
        return
    for one in judged:
        print(one.text())
