"""Judging a classifier: the same code for validation while training and for the test verb."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from dragoman.config.reading import read_recipe
from dragoman.config.task import ClassificationTaskSettings
from dragoman.core.errors import DataError
from dragoman.data.corpus.held_out_labeled import load_held_out_labeled
from dragoman.data.corpus.labeled import check_known, read_tables
from dragoman.data.formats.labeled import LabeledText, RowFindings
from dragoman.engine.checkpoint.folder import trained_run
from dragoman.tasks.common.card import store_scores
from dragoman.tasks.common.classes import ClassificationEvaluation, compare_classes
from dragoman.tasks.common.set_names import name_of_files
from dragoman.tasks.text_classification.classifier import Classifier
from dragoman.tasks.text_classification.report import REPORT


def score_classes(
    classifier: Classifier,
    rows: Sequence[LabeledText],
    name: str,
    sizes: Mapping[str, int],
    after_batch: Callable[[int], None] | None = None,
) -> ClassificationEvaluation:
    """Classify texts and compare; `sizes` says how many texts of each class were trained on."""
    answers = classifier.classify([row.text for row in rows], after_batch=after_batch)
    true = [row.label for row in rows]
    return compare_classes(name, answers, true, classifier.classes, sizes)


def rows_to_test(run: Path, files: Sequence[Path] = ()) -> dict[str, list[LabeledText]]:
    """Return the rows to test a run on: its own held-out ones, or those of the given tables."""
    folder = trained_run(run)
    held_out = load_held_out_labeled(folder.data)
    if not files:
        return {"test": held_out.test}
    corpus = read_recipe(folder.recipe).corpus_for(ClassificationTaskSettings)
    found = list(read_tables(corpus, files, RowFindings()))
    if not found:
        raise DataError(f"{files[0]}: holds no text with a class to test on.")
    check_known(found, held_out.classes)
    return {name_of_files(folder, files): [one.row for one in found]}


def evaluate_classes(
    run: Path, files: Sequence[Path] = (), after_batch: Callable[[int], None] | None = None
) -> list[ClassificationEvaluation]:
    """Judge a classifier on its test set (or on given tables); store scores and card."""
    folder = trained_run(run)
    classifier = Classifier.load(run)
    sizes = load_held_out_labeled(folder.data).classes
    judged = [
        score_classes(classifier, rows, name, sizes, after_batch)
        for name, rows in rows_to_test(run, files).items()
    ]
    store_scores(folder, judged, REPORT, files)
    return judged
