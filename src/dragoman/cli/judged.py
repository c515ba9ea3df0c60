"""Judgements of test sets, printed for programs, and those of classes for people."""

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from dragoman.tasks.common.classes import ClassificationEvaluation


class Evaluation(Protocol):
    """What is known of one test set, whatever was judged."""

    @property
    def name(self) -> str:
        """The test set."""
        ...

    def summary(self) -> dict[str, Any]:
        """Return what is stored of it."""
        ...


def print_json(judged: Iterable[Evaluation]) -> None:
    """Print a list with an object for each test set."""
    whole = [{"name": one.name, **one.summary()} for one in judged]
    print(json.dumps(whole, ensure_ascii=False, indent=1))


def print_classes(judged: "list[ClassificationEvaluation]", as_json: bool) -> None:
    """Print how well each test set was sorted, and by what it must be measured."""
    from dragoman.metrics.classification import table

    if as_json:
        print_json(judged)
        return
    for one in judged:
        interval = f"95 % interval {one.low:.3f} to {one.high:.3f}"
        print(
            f"{one.name}: {one.texts:,} {one.unit}, accuracy {one.accuracy:.3f} ({interval}); "
            f"always {one.favourite!r} is right for {one.baseline.accuracy:.3f}\n"
        )
        print(table(one.whole, one.baseline, unit=one.unit), end="")
