"""What the model card of a classifier says, of texts or of images."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

NAMED = 20
"""Classes up to which it is shown who was taken for whom."""


def classes_purpose(unit: str, classes: Mapping[str, int]) -> str:
    """Say which classes there are for a text or an image."""
    names = ", ".join(classes) if len(classes) <= NAMED else "many"
    count = f"{sum(classes.values()):,} {unit}s"
    return f"classifies {unit}s into {len(classes):,} classes ({names}), trained on {count}"


def classes_table(stored: Mapping[str, Any]) -> str:
    """Return the tables of every test set, as scores.json has them."""
    tests = [
        [
            *(name, f"{one['texts']:,}", f"{one['accuracy']:.3f}"),
            "–".join(f"{end:.3f}" for end in one["interval"]),
            f"{one['macro_f1']:.3f}",
            f"{one['majority']['accuracy']:.3f} ({one['majority']['class']})",
        ]
        for name, one in stored.items()
    ]
    unit = next(iter(stored.values())).get("unit", "texts")
    head = ["test set", unit, "accuracy", "95 % interval", "macro-F1", "majority baseline"]
    return "\n\n".join(["## Scores", grid(head, tests), *tables_of_each(stored, "class", unit)])


def tables_of_each(stored: Mapping[str, Any], noun: str, unit: str) -> Iterator[str]:
    """Yield tables of every test set: how well each class was found, and the confusions."""
    for name, one in stored.items():
        yield f"### Each {noun} of {name}"
        yield grid([noun, "precision", "recall", "F1", unit], _of_each(one))
        names = [each["label"] for each in one["classes"]]
        if len(names) <= NAMED:
            rows = zip(names, one["confusion"], strict=True)
            yield f"Confusion matrix of {unit}: true {noun} in rows, predicted {noun} in columns."
            yield grid(["", *names], [[label, *row] for label, row in rows])


def _of_each(one: Mapping[str, Any]) -> list[list[Any]]:
    return [
        [
            each["label"],
            *(f"{each[key]:.3f}" for key in ("precision", "recall", "f1")),
            f"{each['texts']:,}",
        ]
        for each in one["classes"]
    ]


def grid(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Lay out a table; a bar in a name would begin another column."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines
    )
