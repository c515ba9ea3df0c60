"""The headline metric of a run."""

from collections.abc import Sequence
from typing import Any

from dragoman.config.recipe import Recipe
from dragoman.metrics.figures import FIGURES
from dragoman.server.studio.log_file import Row

PERCENTAGES = frozenset(
    ("accuracy", "macro_f1", "entity_f1", "exact_spans", "rebuilt", "recall_at_10")
)
"""Metrics from 0 to 1, which are shown in percent."""

PREFERRED = ("chrf", "accuracy", "exact_spans", "recall_at_10", "rebuilt", "bits_per_byte")
"""The metrics to show, the first that a run has."""


def headline(recipe: Recipe, scores: Any, rows: Sequence[Row]) -> dict[str, Any] | None:
    """Return the metric of the first test set; until there is one, of the last validation.

    `set` says which of the two it is: they are never of the same sentences.
    """
    test = _of_tests(scores)
    if test is not None:
        return {**test, "set": "test"}
    validations = [row for row in rows if row["kind"] == "validation"]
    preferred = (recipe.training.best_metric, *PREFERRED)
    validation = _first(validations[-1], preferred) if validations else None
    return None if validation is None else {**validation, "set": "validation"}


def _of_tests(scores: Any) -> dict[str, Any] | None:
    """Return the metric of the first test set of scores.json, whatever that holds."""
    if not isinstance(scores, dict) or not scores:
        return None
    first = next(iter(scores.values()))
    if not isinstance(first, dict):
        return None
    return _chrf(first.get("scores")) or _recall(first.get("matches")) or _first(first)


def _chrf(scores: Any) -> dict[str, Any] | None:
    chrf = scores.get("chrf") if isinstance(scores, dict) else None
    return _figure("chrf", chrf.get("value")) if isinstance(chrf, dict) else None


def _recall(matches: Any) -> dict[str, Any] | None:
    """Return the recall at 10 of images by name."""
    for one in matches if isinstance(matches, list) else ():
        try:
            if one["kind"] == "name":
                return _figure("recall_at_10", one["to_image"]["recall"]["10"])
        except (KeyError, TypeError):
            continue
    return None


def _first(figures: dict[str, Any], preferred: Sequence[str] = PREFERRED) -> dict[str, Any] | None:
    for name in preferred:
        if name in FIGURES and (figure := _figure(name, figures.get(name))):
            return figure
    return None


def _figure(name: str, value: Any) -> dict[str, Any] | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return {"name": FIGURES[name], "value": 100 * value if name in PERCENTAGES else value}
