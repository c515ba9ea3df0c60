"""The model card of a language model."""

from collections.abc import Mapping
from typing import Any

from dragoman.tasks.common.card import CardReport
from dragoman.tasks.common.text_report import text_purpose


def _scores(stored: Mapping[str, Any]) -> str:
    rows = ["## Scores", "", "| test set | documents | tokens | perplexity | bits per byte |"]
    rows.append("|---|---|---|---|---|")
    for name, one in stored.items():
        rows.append(
            f"| {name} | {one['documents']:,} | {one['tokens']:,} | {one['perplexity']:.2f} "
            f"| {one['bits_per_byte']:.3f} |"
        )
    return "\n".join(rows)


REPORT = CardReport(lambda folder, _: text_purpose(folder, "continues a text"), _scores)
