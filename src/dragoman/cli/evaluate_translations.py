"""`dragoman evaluate` for translators: against another run, and what was forgotten."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dragoman.data.formats.pair import Pair
    from dragoman.pipeline.difference import PipelineDifference
    from dragoman.tasks.translation.evaluate import TranslationEvaluation


def evaluate_translations(
    run: Path,
    files: list[Path],
    to: str | None,
    changes: list[str],
    against: Path | None,
    also: list[Path],
    as_json: bool,
) -> None:
    """Translate test sets and print the scores, beside those of another run if one is named.

    `changes` of decoding settings hold for both runs.
    """
    from dragoman.core.console import progress_bar
    from dragoman.engine.checkpoint.folder import trained_run
    from dragoman.tasks.common.set_names import origin_of
    from dragoman.tasks.translation.evaluate import evaluate as judge_run
    from dragoman.tasks.translation.evaluate import sets_to_test

    sets = list(sets_to_test(trained_run(run), files, to).values())
    total = sum(map(len, sets))
    runs = [run] if against is None else [run, against]
    judged: list[list[TranslationEvaluation]] = []
    with progress_bar("translating", total * len(runs)) as bar:
        for one, others in zip(runs, [also, []], strict=False):
            judged.append(
                judge_run(one, files, to=to, decoding=changes, also=others, after_batch=bar.advance)
            )
    if against is not None:
        _check_comparable(judged[0], judged[1], against)
    verdicts = [] if against is None else _compare(judged[0], judged[1])
    alone = against is None and not also
    differences = _pipeline_differences(run, sets, judged[0], changes) if alone else []
    if as_json:
        more = [{"pipeline": {"changed": one.changed, "scores": one.piped}} for one in differences]
        more += [{"against": {"run": str(against), "verdicts": told}} for told in verdicts]
        rows = [{**one.summary(), **origin_of(files)} for one in judged[0]]
        whole = [{**row, **told} for row, told in zip(rows, more or [{}] * len(rows), strict=True)]
        print(json.dumps(whole, ensure_ascii=False, indent=1))
        return
    print("\n".join([*(one.text() for one in judged[0]), *(one.text() for one in differences)]))
    for one_set, told in zip(judged[0], verdicts, strict=False):
        for verdict in told:
            print(f"{one_set.name}, first {run}, second {against}: {verdict}")


def _pipeline_differences(
    run: Path,
    sets: "Sequence[Sequence[Pair]]",
    judged: "Sequence[TranslationEvaluation]",
    changes: list[str],
) -> "list[PipelineDifference]":
    """Score the sets through the pipeline too, where a run writes one language."""
    from dragoman.core.console import progress_bar
    from dragoman.data.corpus.tags import written_languages
    from dragoman.pipeline.difference import pipeline_difference
    from dragoman.pipeline.translator import Translator

    translator = Translator.load(run).with_settings(changes)
    corpus = translator.bare.corpus
    if corpus is not None and written_languages(corpus):
        return []
    with progress_bar("through the pipeline", sum(map(len, sets))) as bar:
        return [
            pipeline_difference(
                translator,
                one.name,
                [pair.source for pair in pairs],
                one.hypotheses,
                one.references,
                bar.advance,
            )
            for pairs, one in zip(sets, judged, strict=True)
        ]


def evaluate_forgotten(run: Path, beam: int | None, as_json: bool) -> None:
    """Print how well a run still does on the tests of the run that it started from."""
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


def _check_comparable(
    first: "list[TranslationEvaluation]", second: "list[TranslationEvaluation]", other: Path
) -> None:
    from dragoman.core.errors import DataError

    mine, theirs = ([one.references for one in sets] for sets in (first, second))
    if mine != theirs:
        raise DataError(
            f"{other}: has other test sets than the first run, so scores cannot be compared. "
            "Give one test file for both: dragoman evaluate RUN FILE --against OTHER"
        )


def _compare(
    first: "list[TranslationEvaluation]", second: "list[TranslationEvaluation]"
) -> list[list[str]]:
    """Return for each set what the paired bootstrap says of BLEU and of chrF."""
    from dragoman.metrics.significance import compare

    return [
        [
            compare(mine.hypotheses, theirs.hypotheses, [mine.references], metric=metric).verdict
            for metric in ("bleu", "chrf")
        ]
        for mine, theirs in zip(first, second, strict=True)
    ]
