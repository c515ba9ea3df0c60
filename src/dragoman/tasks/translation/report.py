"""The model card of a translator."""

from collections.abc import Mapping
from typing import Any

from dragoman.config.recipe import Recipe
from dragoman.config.task import TranslationTaskSettings
from dragoman.data.corpus.held_out import load_held_out
from dragoman.data.corpus.tags import in_words
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.tasks.common.card import CardReport
from dragoman.tasks.translation.trust_table import trust_tables


def _purpose(folder: RunFolder, recipe: Recipe) -> tuple[str, list[str]]:
    held_out = load_held_out(folder.data)
    ways = in_words(recipe.corpus_for(TranslationTaskSettings))
    return f"translates {ways}, trained on {held_out.train_pairs:,} pairs", held_out.findings


def _scores(stored: Mapping[str, Any]) -> str:
    rows = ["## Scores", "", "| test set | sentences | beam | measure | value | 95 % interval |"]
    rows.append("|---|---|---|---|---|---|")
    signatures: dict[str, str] = {}
    for name, one in stored.items():
        parts = [(one["sentences"], one, "")]
        if every := one.get("multi_reference"):
            parts.append((every["sources"], every, ", all references"))
        for sentences, part, how in parts:
            begin = f"| {name} | {sentences} | {one['beam']} |"
            for measure in part["scores"].values():
                title = f"{measure['name']}{how}"
                rows.append(f"{begin} {title} | {measure['value']:.2f} | {_interval(measure)} |")
                signatures[title] = measure["signature"]
            rows.append(f"{begin} exact match{how} | {part['exact']:.2f} % | |")
        if aligned := one.get("alignment"):
            rows.append(
                f"| {name} | {aligned['pairs']} | | alignment error rate "
                f"({aligned['map']}) | {100 * aligned['error']:.2f} % | |"
            )
    rows += ["", "Signatures:", *(f"- {name}: `{s}`" for name, s in signatures.items())]
    return "\n".join(rows)


def _interval(measure: Mapping[str, Any]) -> str:
    low, high = measure["low"], measure["high"]
    return "" if low is None else f"{low:.2f}–{high:.2f}"


REPORT = CardReport(_purpose, _scores, further=trust_tables)
