"""What the model card of a tagger says: what it does, and its scores as tables."""

from collections.abc import Mapping
from typing import Any

from dragoman.config.recipe import Recipe
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.tasks.common.card import CardReport
from dragoman.tasks.common.classes_report import NAMED, grid, tables_of_each
from dragoman.tasks.tagging.held_out import load_held_out_tagged


def _purpose(folder: RunFolder, recipe: Recipe) -> tuple[str, list[str]]:
    held_out = load_held_out_tagged(folder.data)
    labels = held_out.labels
    names = ", ".join(labels) if len(labels) <= NAMED else "many"
    size = f"{held_out.train_sentences:,} sentences with {sum(labels.values()):,} words"
    does = f"gives each word one of {len(labels):,} labels ({names}), trained on {size}"
    return does, held_out.findings


def tagging_table(stored: Mapping[str, Any]) -> str:
    """Lay out the scores of every test set, as scores.json has them."""
    tests = [
        [
            *(name, f"{one['sentences']:,}", f"{one['words']:,}", f"{one['accuracy']:.3f}"),
            "–".join(f"{end:.3f}" for end in one["interval"]),
            *(f"{one[key]:.3f}" for key in ("macro_f1", "exact_sentences")),
            f"{one['entities']['f1']:.3f}" if "entities" in one else "",
            f"{one['dictionary']['accuracy']:.3f}",
            f"{one['majority']['accuracy']:.3f} ({one['favorite']})",
        ]
        for name, one in stored.items()
    ]
    head = ["test set", "sentences", "words", "accuracy", "95 % interval", "macro-F1"]
    head += ["sentences all right", "entity F1", "each word's most frequent label"]
    head += ["majority baseline"]
    return "\n\n".join(["## Scores", grid(head, tests), *tables_of_each(stored, "label", "words")])


REPORT = CardReport(_purpose, tagging_table)
