"""The model card: what a run is, what it was made of and how good it is, for people."""

import json
from typing import Any

from dragoman.config.reading import read_recipe
from dragoman.config.recipe import Recipe
from dragoman.core.errors import DataError
from dragoman.core.files import write_atomic
from dragoman.data.corpus.held_out import load_held_out
from dragoman.data.corpus.tags import in_words
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.rows import read_log
from dragoman.engine.checkpoint.weights import read_weights


def write_card(folder: RunFolder) -> None:
    """Write card.md from the recipe, the log and the scores."""
    recipe = read_recipe(folder.recipe)
    parts = [
        f"# {recipe.name}",
        _what(recipe, folder),
        _scores(folder),
        _training(folder),
        _made(recipe),
    ]
    write_atomic(folder.card, "\n\n".join(part for part in parts if part) + "\n")


def _what(recipe: Recipe, folder: RunFolder) -> str:
    stored = read_weights(folder.model)
    count = sum(tensor.numel() for tensor in stored.tensors.values())
    held_out = load_held_out(folder.data)
    lines = [
        f"A {recipe.model.kind} of {count:,} parameters that translates "
        f"{in_words(recipe.corpus)}, trained on {held_out.train_pairs:,} pairs "
        f"(corpus: {recipe.corpus.kind}) with seed {recipe.seed}.",
        f"Weights of step {stored.notes.get('step', '?')} ({stored.notes.get('chosen', 'best')}).",
    ]
    if held_out.findings:
        lines += ["", "What was done to the text:", *(f"- {note}" for note in held_out.findings)]
    return "\n".join(lines)


def stored_scores(folder: RunFolder) -> dict[str, Any]:
    """Return the evaluations that a run folder holds, by test set."""
    if not folder.scores.is_file():
        return {}
    try:
        stored = json.loads(folder.scores.read_bytes())
        _table(stored)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(f"{folder.scores}: cannot be read ({error}). Remove it.") from None
    return dict(stored)


def _scores(folder: RunFolder) -> str:
    stored = stored_scores(folder)
    if not stored:
        return "Not tested yet: `dragoman evaluate` does it."
    return _table(stored)


def _table(stored: dict[str, Any]) -> str:
    rows = ["## Scores", "", "| test set | sentences | beam | measure | value | 95 % interval |"]
    rows.append("|---|---|---|---|---|---|")
    signatures: dict[str, str] = {}
    for name, one in stored.items():
        begin = f"| {name} | {one['sentences']} | {one['beam']} |"
        for measure in one["scores"].values():
            low, high = measure["low"], measure["high"]
            interval = "" if low is None else f"{low:.2f}–{high:.2f}"
            rows.append(f"{begin} {measure['name']} | {measure['value']:.2f} | {interval} |")
            signatures[measure["name"]] = measure["signature"]
        rows.append(f"{begin} exact match | {one['exact']:.2f} % | |")
        if aligned := one.get("alignment"):
            rows.append(
                f"| {name} | {aligned['pairs']} | | alignment error rate "
                f"({aligned['map']}) | {100 * aligned['error']:.2f} % | |"
            )
    rows += ["", "Signatures:", *(f"- {name}: `{s}`" for name, s in signatures.items())]
    return "\n".join(rows)


def _training(folder: RunFolder) -> str:
    log = read_log(folder.metrics)
    if not log:
        return ""
    seconds = sum(row.get("seconds", 0.0) for row in log)
    judged = [row for row in log if row["kind"] == "validation"]
    words = [f"Trained for {log[-1]['step']:,} steps in {seconds / 60:.1f} minutes."]
    if judged:
        last = judged[-1]
        words.append(
            f"Last validation: loss {last['loss']:.3f} nats per token "
            f"(perplexity {last['perplexity']:.2f}), BLEU {last['bleu']:.2f}, "
            f"chrF {last['chrf']:.2f}."
        )
    words += [f"Diagnosis: {row['text']}" for row in log if row["kind"] == "diagnosis"]
    picture = "\n\n![Loss and scores while training](curves.png)" if folder.curves.exists() else ""
    return "## Training\n\n" + "\n".join(words) + picture


def _made(recipe: Recipe) -> str:
    made = recipe.made_with
    if made is None:
        return ""
    return (
        "## Made with\n\n"
        f"Dragoman {made.dragoman}, Python {made.python}, torch {made.torch}, "
        f"{made.threads} threads, {made.platform}. The recipe in this folder repeats the run."
    )
