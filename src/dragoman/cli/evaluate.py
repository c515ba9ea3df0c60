"""`dragoman evaluate`."""

import json
from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.evaluate_translations import evaluate_forgotten, evaluate_translations
from dragoman.cli.evaluate_trust import evaluate_trust
from dragoman.cli.help import number_option


def evaluate(  # noqa: PLR0913 - one argument for each option
    run: Annotated[Path, typer.Argument(help="The run folder.")],
    test: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE", help="A TSV of pairs, or two files; without any, the run's test sets."
        ),
    ] = None,
    to: Annotated[
        str | None, typer.Option(metavar="LANGUAGE", help="Target language of the test file.")
    ] = None,
    beam: Annotated[
        int | None, number_option(help="Beam size. [default: the run's]", min=1)
    ] = None,
    change: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A decoding setting; repeatable."),
    ] = None,
    against: Annotated[
        Path | None, typer.Option(metavar="RUN", help="A run to compare with (paired bootstrap).")
    ] = None,
    also: Annotated[
        list[Path] | None,
        typer.Option("--ensemble", metavar="RUN", help="Another run to ensemble with; repeatable."),
    ] = None,
    forgotten: Annotated[
        bool, typer.Option("--forgotten", help="Evaluate on the tests of the run it started from.")
    ] = False,
    confidence: Annotated[
        bool, typer.Option("--confidence", help="Fit and check the confidence of translations.")
    ] = False,
    robustness: Annotated[
        bool, typer.Option("--robustness", help="Evaluate on noisy text, with typos and the like.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Evaluate a run on its test sets or on a file.

    Translators: BLEU, chrF and TER with confidence intervals. Language models: perplexity and bits
    per byte. Masked language models and span corruption: what they restore. Classifiers and
    taggers: accuracy and F1. Autoencoders: reconstruction error. Image–text models: recall, or
    zero-shot accuracy on folders named like their classes.
    """
    from dragoman.cli.contradictions import refuse_beside
    from dragoman.cli.next_steps import say_next_after_evaluation
    from dragoman.config.reading import read_recipe
    from dragoman.engine.checkpoint.folder import trained_run

    files = test or []
    task = read_recipe(trained_run(run).recipe).task
    if "translate" not in task.verbs:
        for_translators: dict[str, object] = {
            **{"--to": to, "--beam": beam, "--set": change, "--against": against},
            **{"--ensemble": also, "--confidence": confidence, "--robustness": robustness},
            "--forgotten": forgotten,
        }
        _refuse(for_translators, f"is for translators, not for task.kind = {task.kind!r}.")
        _evaluate(run, files, as_json)
    elif forgotten:
        own = {"FILE": test, "--to": to, "--against": against, "--ensemble": also, "--set": change}
        trust = {"--confidence": confidence, "--robustness": robustness}
        why = "which uses the test sets of the run it started from"
        refuse_beside("--forgotten", {**own, **trust}, why)
        evaluate_forgotten(run, beam, as_json)
    elif confidence or robustness:
        beside = {"FILE": test, "--to": to, "--against": against, "--ensemble": also}
        _refuse(
            {**beside, "--set": change, "--beam": beam if confidence else None},
            "does not go with --confidence or --robustness, which use the run's own sets. Leave "
            "it out.",
        )
        evaluate_trust(run, beam, as_json, confidence=confidence, robustness=robustness)
    else:
        changes = [*(change or []), *([] if beam is None else [f"beam={beam}"])]
        evaluate_translations(run, files, to, changes, against, also or [], as_json)
    if not as_json:
        say_next_after_evaluation(run)


def _refuse(options: dict[str, object], why: str) -> None:
    """Refuse options that say nothing to this run."""
    from dragoman.core.errors import ConfigError

    for name, value in options.items():
        if value:
            raise ConfigError(f"{name} {why}")


def _evaluate(run: Path, files: list[Path], as_json: bool) -> None:
    """Judge a run as its task does, and print what was found."""
    from dragoman.core.console import progress_bar
    from dragoman.tasks.common.set_names import origin_of
    from dragoman.tasks.open import kind_of_run

    kind = kind_of_run(run)
    total = sum(map(len, kind.tests(run, files).values()))
    with progress_bar(kind.progress, total) as bar:
        judged = kind.evaluate(run, files, bar.advance)
    if as_json:
        origin = origin_of(files)
        whole = [{"name": one.name, **one.summary(), **origin} for one in judged]
        print(json.dumps(whole, ensure_ascii=False, indent=1))
        return
    for one in judged:
        print(one.text())
