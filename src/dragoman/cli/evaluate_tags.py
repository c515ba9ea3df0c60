"""`dragoman evaluate` for taggers."""

from pathlib import Path

from dragoman.cli.judged import print_json


def evaluate_tagging_run(run: Path, files: list[Path], as_json: bool) -> None:
    """Evaluate a tagger, and print how well it labels words and by what it must be measured."""
    from dragoman.core.console import progress_bar
    from dragoman.metrics.classification import table
    from dragoman.tasks.tagging.evaluate import evaluate_tagging, sentences_to_test

    total = sum(map(len, sentences_to_test(run, files).values()))
    with progress_bar("tagging", total) as bar:
        found = evaluate_tagging(run, files, bar.advance)
    if as_json:
        print_json(found)
        return
    for one in found:
        print(
            f"{one.name}: {one.sentences:,} sentences, {one.words:,} words, accuracy "
            f"{one.accuracy:.3f} (95 % interval {one.low:.3f} to {one.high:.3f}); "
            f"{one.exact:.3f} of the sentences are all right"
        )
        if one.entities is not None:
            print(
                f"  entities: F1 {one.entities.f1:.3f} (precision {one.entities.precision:.3f}, "
                f"recall {one.entities.recall:.3f}) of {one.entities.true:,}"
            )
        print(
            f"  baselines: each word's most frequent label {one.dictionary.accuracy:.3f}, "
            f"always {one.favorite!r} {one.majority.accuracy:.3f}\n"
        )
        print(table(one.whole, one.majority, unit="words"), end="")
