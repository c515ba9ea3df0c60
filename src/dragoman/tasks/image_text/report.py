"""The model card of a network that matches images and texts."""

from collections.abc import Mapping
from typing import Any

from dragoman.config.recipe import Recipe
from dragoman.data.batching.caption_sets import load_caption_sets
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.tasks.common.card import CardReport

FIRST = ("1", "5", "10")
HEAD = ("test set", "language", "caption", "words", "direction", "candidates")


def _purpose(folder: RunFolder, recipe: Recipe) -> tuple[str, list[str]]:
    captions = load_caption_sets(folder.data)
    count = f"trained on {len(captions.train.said):,} images"
    return f"matches images and texts, {count}", captions.findings


def matches_table(stored: Mapping[str, Any]) -> str:
    """Lay out recall and rank of each language and kind of caption, chance beside them."""
    head = [*HEAD, *(f"recall@{k}" for k in FIRST), "baseline", "median rank", "at random"]
    rows = ["## Scores", "", f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for name, one in stored.items():
        for match in one["matches"]:
            for way, found in (("text → image", "to_image"), ("image → text", "to_text")):
                cells = [name, match["language"], match["kind"], f"{match['words']:.1f}", way]
                rows.append(f"| {' | '.join([*cells, *_figures(match[found])])} |")
    rows += [
        "",
        f"Recall@{'/'.join(FIRST)}: share of queries whose match is among the first. Baseline: "
        "random ranking or, if that is better, the most frequent answers.",
    ]
    return "\n".join(rows)


def _figures(found: Mapping[str, Any]) -> list[str]:
    recall = {str(k): share for k, share in found["recall"].items()}
    blind = {str(k): share for k, share in found["blind"].items()}
    return [
        str(found["candidates"]),
        *(f"{100 * recall[k]:.1f} %" for k in FIRST),
        " / ".join(f"{100 * blind[k]:.1f}" for k in FIRST),
        f"{found['median_rank']:.1f}",
        f"{found['chance_median']:.1f}",
    ]


REPORT = CardReport(_purpose, matches_table)
