"""The model card: what a run is, what it was made of and how good it is, for people."""

import json
from collections.abc import Mapping
from typing import Any

from dragoman.config.reading import read_recipe
from dragoman.config.recipe import UNITS, Recipe
from dragoman.core.errors import DataError
from dragoman.core.files import write_atomic
from dragoman.data.batching.caption_sets import load_caption_sets
from dragoman.data.batching.image_sets import load_images
from dragoman.data.corpus.held_out import load_held_out
from dragoman.data.corpus.held_out_labelled import load_held_out_labelled
from dragoman.data.corpus.held_out_texts import load_held_out_texts
from dragoman.data.corpus.tags import in_words
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.engine.checkpoint.weights import read_weights
from dragoman.metrics.figures import FIGURES
from dragoman.tasks.common.classes_table import NAMED, classes_table
from dragoman.tasks.common.matches_table import matches_table
from dragoman.tasks.common.rebuilt_table import rebuilt_table
from dragoman.tasks.common.trust_table import trust_tables

DOES = {
    "language": "goes on writing a text",
    "masked": "guesses hidden words of a text",
    "spans": "writes the spans that were cut out of a text",
}
"""What models of plain text do, by their task."""

TABLES = {"confusion": classes_table, "matches": matches_table, "errors": rebuilt_table}
"""Who lays out scores that have such an entry."""


def write_card(folder: RunFolder) -> None:
    """Write card.md from the recipe, the log and the scores."""
    recipe = read_recipe(folder.recipe)
    parts = [
        f"# {recipe.name}",
        _what(recipe, folder),
        _scores(folder),
        trust_tables(folder),
        _training(folder, UNITS.get(recipe.task.kind, "token")),
        _made(recipe),
    ]
    write_atomic(folder.card, "\n\n".join(part for part in parts if part) + "\n")


def _what(recipe: Recipe, folder: RunFolder) -> str:
    stored = read_weights(folder.model)
    count = sum(one.numel() for name, one in stored.tensors.items() if _is_learned(name))
    does, findings = _purpose(recipe, folder)
    lines = [
        f"{'An' if recipe.model.kind[0] in 'aeiou' else 'A'} {recipe.model.kind} of {count:,} "
        f"parameters that {does} "
        f"(corpus: {recipe.corpus.kind}) with seed {recipe.seed}.",
        f"Weights of step {stored.notes.get('step', '?')} ({stored.notes.get('chosen', 'best')}).",
    ]
    if findings:
        lines += ["", "What was done to the text:", *(f"- {note}" for note in findings)]
    return "\n".join(lines)


def _is_learned(name: str) -> bool:
    """Say whether a tensor is a weight, and not what a batch norm remembers."""
    return not name.endswith(("running_mean", "running_var", "num_batches_tracked"))


def _purpose(recipe: Recipe, folder: RunFolder) -> tuple[str, list[str]]:
    """Say what a model does and what it was trained on; return with it what was done to that."""
    if recipe.task.kind == "translation":
        held_out = load_held_out(folder.data)
        pairs = f"trained on {held_out.train_pairs:,} pairs"
        return f"translates {in_words(recipe.pairs)}, {pairs}", held_out.findings
    if recipe.task.kind == "classification":
        return _sorting(folder)
    if recipe.task.kind == "images":
        sets = load_images(folder.data)
        return _gives("picture", sets.classes), sets.findings
    if recipe.task.kind == "autoencoding":
        sets = load_images(folder.data)
        does = f"brings a picture down to {recipe.autoencoder.code} numbers and rebuilds it"
        return f"{does}, trained on {len(sets.train):,} pictures", sets.findings
    if recipe.task.kind == "image-text":
        captions = load_caption_sets(folder.data)
        count = f"trained on {len(captions.train.said):,} images"
        return f"matches images and texts, {count}", captions.findings
    texts = load_held_out_texts(folder.data)
    return (
        f"{DOES[recipe.task.kind]}, trained on {texts.train_documents:,} documents",
        texts.findings,
    )


def _sorting(folder: RunFolder) -> tuple[str, list[str]]:
    rows = load_held_out_labelled(folder.data)
    return _gives("text", rows.classes), rows.findings


def _gives(unit: str, classes: Mapping[str, int]) -> str:
    """Say which classes there are for a text or an image."""
    names = ", ".join(classes) if len(classes) <= NAMED else "many"
    count = f"{sum(classes.values()):,} {unit}s"
    return f"gives a {unit} one of {len(classes):,} classes ({names}), trained on {count}"


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


def store_scores(folder: RunFolder, found: Mapping[str, Mapping[str, Any]]) -> None:
    """Keep what was found of test sets, by their names, beside what is known, and on the card.

    The card of an imported network says where it is from, and stays as it is.
    """
    stored = {**stored_scores(folder), **found}
    write_atomic(folder.scores, json.dumps(stored, indent=1, ensure_ascii=False) + "\n")
    if read_recipe(folder.recipe).corpus.kind != "imported":
        write_card(folder)


def _scores(folder: RunFolder) -> str:
    stored = stored_scores(folder)
    if not stored:
        return "Not tested yet: `dragoman evaluate` does it."
    return _table(stored)


def _table(stored: dict[str, Any]) -> str:
    for key, lay_out in TABLES.items():
        if stored and all(key in one for one in stored.values()):
            return lay_out(stored)
    if all("bits_per_byte" in one for one in stored.values()):
        return _text_table(stored)
    if all("hidden_words" in one or "exact_spans" in one for one in stored.values()):
        return _pretraining_table(stored)
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


def _text_table(stored: dict[str, Any]) -> str:
    rows = ["## Scores", "", "| test set | documents | tokens | perplexity | bits per byte |"]
    rows.append("|---|---|---|---|---|")
    for name, one in stored.items():
        rows.append(
            f"| {name} | {one['documents']:,} | {one['tokens']:,} | {one['perplexity']:.2f} "
            f"| {one['bits_per_byte']:.3f} |"
        )
    return "\n".join(rows)


def _pretraining_table(stored: dict[str, Any]) -> str:
    """Lay out how well what was hidden or cut out is guessed; the seed decided what that was."""
    rows = ["## Scores", "", "| test set | documents | measure | value | seed |"]
    rows.append("|---|---|---|---|---|")
    measures = {
        "accuracy": ("hidden words guessed", 100, " %"),
        "follows_accuracy": ("next sentences judged rightly", 100, " %"),
        "exact_spans": ("spans restored exactly", 100, " %"),
        "perplexity": ("perplexity of a token", 1, ""),
    }
    for name, one in stored.items():
        for key, (told, times, unit) in measures.items():
            if one.get(key) is not None:
                rows.append(
                    f"| {name} | {one['documents']:,} | {told} "
                    f"| {times * one[key]:.2f}{unit} | {one['seed']} |"
                )
    return "\n".join(rows)


def _training(folder: RunFolder, unit: str) -> str:
    log = read_log(folder.metrics)
    if not log:
        return ""
    seconds = sum(row.get("seconds", 0.0) for row in log)
    judged = [row for row in log if row["kind"] == "validation"]
    words = [f"Trained for {log[-1]['step']:,} steps in {seconds / 60:.1f} minutes."]
    if judged:
        last = judged[-1]
        figures = [f", {told} {last[name]:.2f}" for name, told in FIGURES.items() if name in last]
        loss = f"loss {last['loss']:.3f} nats per {unit} (perplexity {last['perplexity']:.2f})"
        if "rebuilt" in last:
            loss = f"squared error of a pixel {last['loss']:.4f}"
        words.append(f"Last validation: {loss}{''.join(figures)}.")
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
