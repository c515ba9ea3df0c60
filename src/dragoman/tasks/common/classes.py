"""Classes of texts and images: what a classifier answers, and how its answers are judged."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dragoman.core.errors import CheckpointError
from dragoman.metrics.classification import Classification, classification_scores, table
from dragoman.metrics.share import wilson_interval

NOTE = "classes"
"""Where the names of the classes stand beside the weights, as JSON."""


@dataclass(frozen=True)
class ClassPrediction:
    """The class predicted for a text or image, with all probabilities."""

    label: str
    """The likeliest class."""

    probabilities: dict[str, float]
    """Of every class, in the order of their numbers."""

    @property
    def probability(self) -> float:
        """The probability of the predicted class."""
        return self.probabilities[self.label]


def read_classes(notes: dict[str, str], where: Path) -> list[str]:
    """Return the names of the classes from the notes beside the weights."""
    try:
        classes = json.loads(notes[NOTE])
        if not isinstance(classes, list) or not all(isinstance(name, str) for name in classes):
            raise ValueError("not a list of names")
        if len(set(classes)) != len(classes) or len(classes) < 2:
            raise ValueError("not different names")
    except (KeyError, ValueError, RecursionError) as error:
        raise CheckpointError(
            f"{where}: the names of the classes are missing or damaged ({error}). Train again."
        ) from None
    return classes


@dataclass(frozen=True)
class ClassificationEvaluation:
    """The evaluation of a classifier on one test set."""

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

    answers: tuple[ClassPrediction, ...]
    unit: str = "texts"

    @property
    def accuracy(self) -> float:
        """The share of right answers."""
        return self.whole.accuracy

    def figures(self) -> dict[str, float]:
        """Return what validation logs of it."""
        return {
            "accuracy": self.accuracy,
            "macro_f1": self.whole.macro_f1,
            "majority": self.baseline.accuracy,
        }

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

    def text(self) -> str:
        """Say how well the set was sorted, and by what that must be measured."""
        interval = f"95 % interval {self.low:.3f} to {self.high:.3f}"
        return (
            f"{self.name}: {self.texts:,} {self.unit}, accuracy {self.accuracy:.3f} ({interval}); "
            f"majority baseline (always {self.favourite!r}) {self.baseline.accuracy:.3f}\n\n"
            + table(self.whole, self.baseline, unit=self.unit).removesuffix("\n")
        )


def compare_classes(
    name: str,
    answers: Sequence[ClassPrediction],
    true: Sequence[str],
    classes: Sequence[str],
    sizes: Mapping[str, int],
    unit: str = "texts",
) -> ClassificationEvaluation:
    """Compare answers with the truth, and with always giving the class trained on most often."""
    favourite = max(classes, key=lambda label: sizes.get(label, 0))
    whole = classification_scores([one.label for one in answers], true, classes)
    right = sum(one.label == label for one, label in zip(answers, true, strict=True))
    low, high = wilson_interval(right, len(true))
    return ClassificationEvaluation(
        name=name,
        texts=len(true),
        whole=whole,
        low=low,
        high=high,
        favourite=favourite,
        baseline=classification_scores([favourite] * len(true), true, classes),
        answers=tuple(answers),
        unit=unit,
    )
