"""`dragoman evaluate`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.evaluate_matches import evaluate_matching_run
from dragoman.cli.evaluate_pretraining import (
    evaluate_masked_run,
    evaluate_spans_run,
    evaluate_text_run,
)
from dragoman.cli.evaluate_rebuilt import evaluate_rebuilt_run
from dragoman.cli.evaluate_trust import evaluate_trust
from dragoman.cli.judged import print_classes

if TYPE_CHECKING:
    from dragoman.tasks.translation.evaluate import TranslationEvaluation


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
    right answers, an autoencoder by the pixels it rebuilds, one that matches pictures and texts by
    what it finds, or by how it sorts the pictures of folders by their names.
    """
    from dragoman.config.reading import read_recipe
    from dragoman.engine.checkpoint.folder import trained_run

    files = test or []
    kind = read_recipe(trained_run(run).recipe).task.kind
    if kind != "translation":
        _refuse(
            kind,
            {
                **{"--to": to, "--beam": beam, "--against": against, "--ensemble": also},
                **{"--confidence": confidence, "--robustness": robustness},
            },
        )
        judge_others = {
            "language": evaluate_text_run,
            "masked": evaluate_masked_run,
            "spans": evaluate_spans_run,
            "classification": _evaluate_classes,
            "images": _evaluate_images,
            "autoencoding": evaluate_rebuilt_run,
            "image-text": evaluate_matching_run,
        }
        judge_others[kind](run, files, as_json)
        return
    if forgotten:
        _forgotten(run, beam, as_json)
        return
    if confidence or robustness:
        beside = {"TEST": test, "--to": to, "--against": against, "--ensemble": also}
        _refuse_beside({**beside, "--beam": beam if confidence else None})
        evaluate_trust(run, beam, as_json, confidence=confidence, robustness=robustness)
        return
    _evaluate_translations(run, files, to, beam, against, also or [], as_json)


def _evaluate_translations(
    run: Path,
    files: list[Path],
    to: str | None,
    beam: int | None,
    against: Path | None,
    also: list[Path],
    as_json: bool,
) -> None:
    from dragoman.core.console import progress_bar
    from dragoman.engine.checkpoint.folder import trained_run
    from dragoman.tasks.translation.evaluate import evaluate as judge_run
    from dragoman.tasks.translation.evaluate import sets_to_test

    total = sum(len(pairs) for pairs in sets_to_test(trained_run(run), files, to).values())
    runs = [run] if against is None else [run, against]
    judged: list[list[TranslationEvaluation]] = []
    with progress_bar("translating", total * len(runs)) as bar:
        for one, others in zip(runs, [also, []], strict=False):
            found = judge_run(one, files, to=to, beam=beam, also=others, after_batch=bar.advance)
            judged.append(found)
    if against is not None:
        _check_comparable(judged[0], judged[1], against)
    if as_json:
        print(json.dumps([j.summary() for j in judged[0]], ensure_ascii=False, indent=1))
    else:
        for one_set in judged[0]:
            print_scores(one_set)
    if against is not None:
        _compare(judged[0], judged[1], run, against)


def _refuse(kind: str, options: dict[str, object]) -> None:
    """Refuse options that say nothing to a run of this kind."""
    from dragoman.core.errors import ConfigError

    for name, value in options.items():
        if value:
            raise ConfigError(f"{name} is for translators, not for task.kind = {kind!r}.")


def _refuse_beside(options: dict[str, object]) -> None:
    """Refuse what says nothing to a run that is judged on lines made of its own sets."""
    from dragoman.core.errors import ConfigError

    for name, value in options.items():
        if value:
            raise ConfigError(
                f"{name} does not go with --confidence or --robustness: these take the run's own "
                "sets. Leave it out."
            )


def _evaluate_classes(run: Path, files: list[Path], as_json: bool) -> None:
    from dragoman.core.console import progress_bar
    from dragoman.tasks.text_classification.evaluate import evaluate_classes, rows_to_test

    total = sum(map(len, rows_to_test(run, files).values()))
    with progress_bar("classifying", total) as bar:
        judged = evaluate_classes(run, files, bar.advance)
    print_classes(judged, as_json)


def _evaluate_images(run: Path, folders: list[Path], as_json: bool) -> None:
    from dragoman.core.console import progress_bar
    from dragoman.tasks.common.image_preparation import images_to_test
    from dragoman.tasks.image_classification.evaluate import evaluate_images

    total = sum(map(len, images_to_test(run, folders).values()))
    with progress_bar("classifying", total) as bar:
        judged = evaluate_images(run, folders, bar.advance)
    print_classes(judged, as_json)


def _forgotten(run: Path, beam: int | None, as_json: bool) -> None:
    from dragoman.core.console import progress_bar
    from dragoman.tasks.translation.catastrophic_forgetting import evaluate_forgetting, old_tests

    base, sets = old_tests(run)
    with progress_bar("translating", 2 * sum(map(len, sets.values()))) as bar:
        found = evaluate_forgetting(run, beam=beam, after_batch=bar.advance)
    if as_json:
        both = [{"before": f.before.summary(), "after": f.after.summary()} for f in found]
        print(json.dumps(both, ensure_ascii=False, indent=1))
        return
    for one in found:
        before, after = one.before, one.after
        print(f"{before.name} of {base.path}: {before.sentences} sentences, beam {before.beam}")
        for name, score in before.scores.items():
            print(f"  {score.name:<6} {score.value:6.2f} → {after.scores[name].value:6.2f}")
        for verdict in one.verdicts:
            print(f"  first {base.path}, second {run}: {verdict}")


def print_scores(judged: "TranslationEvaluation") -> None:
    """Print the scores of one test set for people."""
    print(f"{judged.name}: {judged.sentences} sentences, beam {judged.beam}")
    for score in judged.scores.values():
        interval = "" if score.low is None else f"  [{score.low:.2f}, {score.high:.2f}]"
        print(f"  {score.name:<6} {score.value:6.2f}{interval}  {score.signature}")
    print(f"  exact  {judged.exact:6.2f} % of the sentences are the reference itself")
    if (aligned := judged.alignment) is not None:
        rates = aligned.score
        print(
            f"  AER    {100 * rates.error:6.2f} % alignment error on {aligned.pairs} references "
            f"(precision {100 * rates.precision:.1f}, recall {100 * rates.recall:.1f}; "
            f"{aligned.choice})"
        )
    print("  source words      sentences   BLEU   chrF  exact")
    for row in judged.by_length:
        print(
            f"  {row['bucket']:<16} {row['sentences']:>10} {row['bleu']:6.1f} "
            f"{row['chrf']:6.1f} {row['exact']:6.1f}"
        )


def _check_comparable(
    first: "list[TranslationEvaluation]", second: "list[TranslationEvaluation]", other: Path
) -> None:
    from dragoman.core.errors import DataError

    mine, theirs = ({one.name: one.references for one in sets} for sets in (first, second))
    if mine != theirs:
        raise DataError(
            f"{other}: has other test sets than the first run, so their scores say nothing about "
            "each other. Give both one test file: dragoman evaluate RUN TEST --against OTHER"
        )


def _compare(
    first: "list[TranslationEvaluation]",
    second: "list[TranslationEvaluation]",
    one: Path,
    other: Path,
) -> None:
    from dragoman.metrics.significance import compare

    for mine, theirs in zip(first, second, strict=True):
        for metric in ("bleu", "chrf"):
            found = compare(mine.hypotheses, theirs.hypotheses, [mine.references], metric=metric)
            print(f"{mine.name}, first {one}, second {other}: {found.verdict}")
