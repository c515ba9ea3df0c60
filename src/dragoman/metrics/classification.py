"""Classification metrics, written out: accuracy, precision, recall, F1, confusion matrix.

Of the texts of one class some are found (true positives, TP), some are missed (false negatives,
FN), and some of other classes are taken for it (false positives, FP):

    precision  =  TP / (TP + FP)        of what was called so, how much is
    recall     =  TP / (TP + FN)        of what is so, how much was called so
    F1         =  2 TP / (2 TP + FP + FN)

    accuracy   =  all TP / all texts
    macro-F1   =  the mean of the classes' F1: each class counts the same
    micro-F1   =  F1 of the summed TP, FP and FN: each text counts the same

A share of nothing is 0: the precision of a class that is never called, the recall of one that never
occurs. Where each text has one class, each mistake is one FP and one FN, so micro-F1 is the
accuracy. The definitions are those of scikit-learn with zero_division=0.

A share of right answers says little by itself, so a result always stands beside that of always
naming the class that is most frequent.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from dragoman.core.errors import DataError

Label = str | int


@dataclass(frozen=True, slots=True)
class ClassScore:
    """Precision, recall and F1 of one class; all between 0 and 1."""

    label: Label
    precision: float
    recall: float
    f1: float
    texts: int
    """Texts that are of this class."""

    called: int
    """Texts that were taken for it."""


@dataclass(frozen=True, slots=True)
class Classification:
    """The classification metrics of some texts."""

    accuracy: float
    macro_f1: float
    micro_f1: float
    classes: tuple[ClassScore, ...]
    confusion: tuple[tuple[int, ...], ...]
    """A row for each true class and a column for each class that was called, in one order."""

    @property
    def labels(self) -> tuple[Label, ...]:
        """The classes, in the order of the rows and columns."""
        return tuple(each.label for each in self.classes)


def classification_scores(
    called: Sequence[Label], true: Sequence[Label], labels: Iterable[Label] | None = None
) -> Classification:
    """Compare the classes that texts were called with those they have.

    Without `labels`, the classes are those that occur on either side, in order.
    """
    order = _order(called, true, labels)
    places = {label: place for place, label in enumerate(order)}
    table = [[0] * len(order) for _ in order]
    for said, is_ in zip(called, true, strict=True):
        table[places[is_]][places[said]] += 1
    rows = [sum(row) for row in table]
    columns = [sum(column) for column in zip(*table, strict=True)]
    found = [table[place][place] for place in range(len(order))]
    classes = tuple(
        ClassScore(
            label=label,
            precision=_share(found[place], columns[place]),
            recall=_share(found[place], rows[place]),
            f1=_share(2 * found[place], rows[place] + columns[place]),
            texts=rows[place],
            called=columns[place],
        )
        for place, label in enumerate(order)
    )
    return Classification(
        accuracy=sum(found) / len(true),
        macro_f1=fmean(each.f1 for each in classes),
        micro_f1=_share(2 * sum(found), sum(rows) + sum(columns)),
        classes=classes,
        confusion=tuple(map(tuple, table)),
    )


def majority(
    true: Sequence[Label],
    seen: Sequence[Label] | None = None,
    labels: Iterable[Label] | None = None,
) -> Classification:
    """Judge the answer that is always the most frequent class of `seen`, the training set.

    Without `seen` it is that of the texts themselves. Of equally frequent classes the first in
    order is taken.
    """
    counts = Counter(true if seen is None else seen)
    if not counts:
        raise DataError("classification: no texts to take the most frequent class from.")
    known = tuple(labels) if labels is not None else _sorted({*counts, *true})
    favourite = max(known, key=lambda label: counts[label])
    return classification_scores([favourite] * len(true), true, known)


def table(
    result: Classification, baseline: Classification | None = None, *, unit: str = "texts"
) -> str:
    """Return a result as a page of text: the classes, the whole, and who was taken for whom."""
    lines = _grid(
        [
            ("class", "precision", "recall", "F1", unit, "predicted"),
            *(
                (
                    str(each.label),
                    *(f"{share:.3f}" for share in (each.precision, each.recall, each.f1)),
                    f"{each.texts:,}",
                    f"{each.called:,}",
                )
                for each in result.classes
            ),
        ]
    )
    for name, one in (("", result), (" of the majority baseline", baseline)):
        if one is not None:
            lines += [
                "",
                f"accuracy{name}: {one.accuracy:.3f}   macro-F1: {one.macro_f1:.3f}   "
                f"micro-F1: {one.micro_f1:.3f}",
            ]
    names = tuple(map(str, result.labels))
    rows = zip(names, result.confusion, strict=True)
    lines += ["", "true class (rows), predicted class (columns)"]
    lines += _grid([("", *names), *((name, *(f"{n:,}" for n in row)) for name, row in rows)])
    return "\n".join(lines) + "\n"


def _order(
    called: Sequence[Label], true: Sequence[Label], labels: Iterable[Label] | None
) -> tuple[Label, ...]:
    if len(called) != len(true) or not true:
        raise DataError(
            f"classification: {len(called)} answers for {len(true)} texts; each text must have one."
        )
    present = {*called, *true}
    if labels is None:
        return _sorted(present)
    order = tuple(labels)
    if len(set(order)) != len(order) or not present.issubset(order):
        strange = ", ".join(sorted(str(label) for label in present.difference(order)))
        raise DataError(
            "classification: the classes must be named once each"
            + (f", and these are not named: {strange}." if strange else ".")
        )
    return order


def _sorted(labels: set[Label]) -> tuple[Label, ...]:
    """Put numbers before words, each in their order."""
    return tuple(sorted(labels, key=lambda label: (isinstance(label, str), label)))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _grid(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Align the first column to the left and the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip()
        for row in rows
    ]
