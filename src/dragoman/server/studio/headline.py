"""The one figure that says how good a run is."""

from collections.abc import Sequence
from typing import Any

from dragoman.config.recipe import Recipe
from dragoman.metrics.figures import FIGURES
from dragoman.server.studio.log_file import Row

SHARES = frozenset(("accuracy", "macro_f1", "entity_f1", "exact_spans", "rebuilt", "recall_at_10"))
"""Figures that are shares of one; they are told in hundredths."""

LEADING = ("chrf", "accuracy", "exact_spans", "recall_at_10", "rebuilt", "bits_per_byte")
"""What is told of a task, the first that it has."""


def headline(recipe: Recipe, scores: Any, rows: Sequence[Row]) -> dict[str, Any] | None:
    """Return the figure of the first test set; until there is one, of the last validation."""
    tested = _of_tests(scores)
    if tested is not None:
        return tested
    judged = [row for row in rows if row["kind"] == "validation"]
    wanted = (recipe.training.best_metric, *LEADING)
    return _first(judged[-1], wanted) if judged else None


def _of_tests(scores: Any) -> dict[str, Any] | None:
    """Return the figure of the first test set of scores.json, whatever that holds."""
    if not isinstance(scores, dict) or not scores:
        return None
    first = next(iter(scores.values()))
    if not isinstance(first, dict):
        return None
    return _of_scores(first.get("scores")) or _of_matches(first.get("matches")) or _first(first)


def _of_scores(scores: Any) -> dict[str, Any] | None:
    chrf = scores.get("chrf") if isinstance(scores, dict) else None
    return _told("chrf", chrf.get("value")) if isinstance(chrf, dict) else None


def _of_matches(matches: Any) -> dict[str, Any] | None:
    """Return how often names find their pictures."""
    for one in matches if isinstance(matches, list) else ():
        try:
            if one["kind"] == "name":
                return _told("recall_at_10", one["to_image"]["recall"]["10"])
        except (KeyError, TypeError):
            continue
    return None


def _first(figures: dict[str, Any], wanted: Sequence[str] = LEADING) -> dict[str, Any] | None:
    for name in wanted:
        if name in FIGURES and (told := _told(name, figures.get(name))):
            return told
    return None


def _told(name: str, value: Any) -> dict[str, Any] | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return {"name": FIGURES[name], "value": 100 * value if name in SHARES else value}
