"""Judging a classifier: the same code for validation while training and for the test verb."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dragoman.config.reading import read_recipe
from dragoman.core.errors import DataError
from dragoman.data.corpus.held_out_labelled import load_held_out_labelled
from dragoman.data.corpus.labelled import check_known, read_tables
from dragoman.data.formats.labelled import Labelled, RowFindings
from dragoman.engine.checkpoint.folder import trained
from dragoman.engine.inference.card import store_scores
from dragoman.engine.inference.classifier import Classified, Classifier
from dragoman.metrics.classification import Classification, judge
from dragoman.metrics.share import wilson_interval


@dataclass(frozen=True)
class ClassesJudged:
    """How well the texts of one test set were sorted."""

    name: str
    texts: int
    """How many there are, of whatever `unit` says."""
    whole: Classification
    low: float
    high: float
    """The 95 % interval of the accuracy (Wilson)."""

    favourite: str
    """The class that most texts of the training set have …"""

    baseline: Classification
    """… and what would come of always giving that answer."""

    answers: tuple[Classified, ...]
    unit: str = "texts"

    @property
    def accuracy(self) -> float:
        """The share of right answers."""
        return self.whole.accuracy

    def summary(self) -> dict[str, Any]:
        """Return what is stored: everything but the answers."""
        return {
            "unit": self.unit,
            "texts": self.texts,
            "accuracy": self.accuracy,
            "interval": [self.low, self.high],
            "macro_f1": self.whole.macro_f1,
            "classes": [asdict(one) for one in self.whole.classes],
            "confusion": [list(row) for row in self.whole.confusion],
            "majority": {
                "class": self.favourite,
                "accuracy": self.baseline.accuracy,
                "macro_f1": self.baseline.macro_f1,
            },
        }


def judge_classes(
    classifier: Classifier,
    rows: Sequence[Labelled],
    name: str,
    sizes: Mapping[str, int],
    after_batch: Callable[[int], None] | None = None,
) -> ClassesJudged:
    """Classify texts and compare; `sizes` says how many texts of each class were trained on."""
    answers = classifier.classify([row.text for row in rows], after_batch=after_batch)
    true = [row.label for row in rows]
    return compare_classes(name, answers, true, classifier.classes, sizes)


def compare_classes(
    name: str,
    answers: Sequence[Classified],
    true: Sequence[str],
    classes: Sequence[str],
    sizes: Mapping[str, int],
    unit: str = "texts",
) -> ClassesJudged:
    """Compare answers with the truth, and with always giving the class trained on most often."""
    favourite = max(classes, key=lambda label: sizes.get(label, 0))
    whole = judge([one.label for one in answers], true, classes)
    right = sum(one.label == label for one, label in zip(answers, true, strict=True))
    low, high = wilson_interval(right, len(true))
    return ClassesJudged(
        name=name,
        texts=len(true),
        whole=whole,
        low=low,
        high=high,
        favourite=favourite,
        baseline=judge([favourite] * len(true), true, classes),
        answers=tuple(answers),
        unit=unit,
    )


def rows_to_test(run: Path, files: Sequence[Path] = ()) -> dict[str, list[Labelled]]:
    """Return the rows to test a run on: its own held-out ones, or those of the given tables."""
    folder = trained(run)
    held_out = load_held_out_labelled(folder.data)
    if not files:
        return {"test": held_out.test}
    corpus = read_recipe(folder.recipe).labelled
    found = list(read_tables(corpus, files, RowFindings()))
    if not found:
        raise DataError(f"{files[0]}: holds no text with a class to test on.")
    check_known(found, held_out.classes)
    return {files[0].name.split(".")[0]: [one.row for one in found]}


def evaluate_classes(
    run: Path, files: Sequence[Path] = (), after_batch: Callable[[int], None] | None = None
) -> list[ClassesJudged]:
    """Judge a classifier on its test set (or on given tables); store scores and card."""
    folder = trained(run)
    classifier = Classifier.load(run)
    sizes = load_held_out_labelled(folder.data).classes
    judged = [
        judge_classes(classifier, rows, name, sizes, after_batch)
        for name, rows in rows_to_test(run, files).items()
    ]
    store_scores(folder, {one.name: one.summary() for one in judged})
    return judged
