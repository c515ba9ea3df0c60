"""Shared parts of the model cards of networks that learn from plain text."""

from collections.abc import Mapping
from typing import Any

from dragoman.data.corpus.held_out_texts import load_held_out_texts
from dragoman.engine.checkpoint.folder import RunFolder


def text_purpose(folder: RunFolder, does: str) -> tuple[str, list[str]]:
    """Say what a model does, and how many documents it was trained on."""
    texts = load_held_out_texts(folder.data)
    return f"{does}, trained on {texts.train_documents:,} documents", texts.findings


def pretraining_table(
    stored: Mapping[str, Any], measures: Mapping[str, tuple[str, int, str]]
) -> str:
    """Lay out how well what was hidden or cut out is guessed; the seed decided what that was.

    A measure has its name, what it is multiplied by, and its unit.
    """
    rows = ["## Scores", "", "| test set | documents | measure | value | seed |"]
    rows.append("|---|---|---|---|---|")
    for name, one in stored.items():
        for key, (told, times, unit) in measures.items():
            if one.get(key) is not None:
                rows.append(
                    f"| {name} | {one['documents']:,} | {told} "
                    f"| {times * one[key]:.2f}{unit} | {one['seed']} |"
                )
    return "\n".join(rows)
