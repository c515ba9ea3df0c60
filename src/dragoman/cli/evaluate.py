"""`dragoman evaluate`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from dragoman.engine.inference.evaluate import Judged


def evaluate(
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
        typer.Option("--with", help="Another run to translate with as one; may be repeated."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score a run: BLEU, chrF and TER by sacrebleu, with signature and confidence interval."""
    from dragoman.core.console import progress_bar
    from dragoman.engine.checkpoint.folder import trained
    from dragoman.engine.inference.evaluate import evaluate as judge_run
    from dragoman.engine.inference.evaluate import sets_to_test

    files = test or []
    total = sum(len(pairs) for pairs in sets_to_test(trained(run), files, to).values())
    runs = [run] if against is None else [run, against]
    judged: list[list[Judged]] = []
    with progress_bar("translating", total * len(runs)) as bar:
        for one, others in zip(runs, [also or [], []], strict=False):
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


def print_scores(judged: "Judged") -> None:
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


def _check_comparable(first: "list[Judged]", second: "list[Judged]", other: Path) -> None:
    from dragoman.core.errors import DataError

    mine, theirs = ({one.name: one.references for one in sets} for sets in (first, second))
    if mine != theirs:
        raise DataError(
            f"{other}: has other test sets than the first run, so their scores say nothing about "
            "each other. Give both one test file: dragoman evaluate RUN TEST --against OTHER"
        )


def _compare(first: "list[Judged]", second: "list[Judged]", one: Path, other: Path) -> None:
    from dragoman.metrics.significance import compare

    for mine, theirs in zip(first, second, strict=True):
        for metric in ("bleu", "chrf"):
            found = compare(mine.hypotheses, theirs.hypotheses, [mine.references], metric=metric)
            print(f"{mine.name}, first {one}, second {other}: {found.verdict}")
