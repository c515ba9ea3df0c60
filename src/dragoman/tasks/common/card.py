"""The model card: what a run is, what it was made of and how good it is, for people."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from dragoman.config.reading import read_recipe
from dragoman.config.recipe import Recipe
from dragoman.core.bounded_read import read_bounded
from dragoman.core.checksums import LARGEST, check_seal, seal
from dragoman.core.console import say
from dragoman.core.errors import DataError, WriteError
from dragoman.core.files import write_atomic
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.engine.checkpoint.weights import read_weights
from dragoman.metrics.figures import FIGURES
from dragoman.tasks.common.set_names import FILES, SETTINGS, origin_of


class Evaluation(Protocol):
    """The evaluation of a network on one test set, whatever its task."""

    @property
    def name(self) -> str:
        """The test set."""
        ...

    def summary(self) -> dict[str, Any]:
        """Return what is stored of it."""
        ...

    def text(self) -> str:
        """Lay it out for people."""
        ...


@dataclass(frozen=True)
class CardReport:
    """The report of one kind of task for the model card."""

    purpose: Callable[[RunFolder, Recipe], tuple[str, list[str]]]
    """What a model does and what it was trained on; with it, what was done to that."""
    scores: Callable[[Mapping[str, Any]], str]
    """The table of what scores.json holds, by test set."""
    further: Callable[[RunFolder], str] = lambda _: ""
    """Sections of its own."""
    loss: str = "loss {loss:.3f} nats per {unit} (perplexity {perplexity:.2f})"
    """How the loss of a validation is told."""


def write_card(folder: RunFolder, report: CardReport) -> None:
    """Write card.md from the recipe, the log and the scores."""
    _write_card(folder, report, stored_scores(folder, report))


def _write_card(folder: RunFolder, report: CardReport, stored: Mapping[str, Any]) -> None:
    recipe = read_recipe(folder.recipe)
    parts = [
        f"# {recipe.name}",
        _what(recipe, folder, report),
        report.scores(stored) if stored else "Not evaluated yet; run `dragoman evaluate`.",
        _origins(stored),
        report.further(folder),
        _training(folder, report.loss, recipe.task.unit),
        _made(recipe),
    ]
    write_atomic(folder.card, "\n\n".join(part for part in parts if part) + "\n")


def _what(recipe: Recipe, folder: RunFolder, report: CardReport) -> str:
    stored = read_weights(folder.model)
    count = sum(one.numel() for name, one in stored.tensors.items() if _is_learned(name))
    does, findings = report.purpose(folder, recipe)
    lines = [
        f"{'An' if recipe.model.kind[0] in 'aeiou' else 'A'} {recipe.model.kind} model with "
        f"{count:,} parameters that {does} (corpus: {recipe.corpus.kind}; seed {recipe.seed}).",
        f"Weights of step {stored.notes.get('step', '?')} ({stored.notes.get('chosen', 'best')}).",
    ]
    if findings:
        lines += ["", "Changes to the corpus:", *(f"- {note}" for note in findings)]
    return "\n".join(lines)


def _origins(stored: Mapping[str, Any]) -> str:
    """Say which test sets came from files: the names of these, and the beginnings of digests."""
    lines = []
    for name, one in stored.items():
        files = [
            f"{Path(f['path']).name} (SHA-256 {f['sha256'][:12]}…)" for f in one.get(FILES, ())
        ]
        lines += [f"- {name}: {', '.join(files)}"] if files else []
    return "\n".join(["Test sets from files:", *lines]) if lines else ""


def _is_learned(name: str) -> bool:
    """Say whether a tensor is a weight, and not what a batch norm remembers."""
    return not name.endswith(("running_mean", "running_var", "num_batches_tracked"))


def stored_scores(folder: RunFolder, report: CardReport) -> dict[str, Any]:
    """Return the evaluations that a run folder holds, by test set."""
    if not folder.scores.is_file():
        return {}
    try:
        stored = json.loads(read_bounded(folder.scores, LARGEST))
        if stored != {}:
            for one in stored.values():
                check_seal(one)
            report.scores(stored)
            _origins(stored)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(f"{folder.scores}: cannot be read ({error}). Remove it.") from None
    return dict(stored)


@contextmanager
def tell_unstored() -> Iterator[None]:
    """Say that an evaluation cannot be stored, as in a folder that is read-only: it is printed."""
    try:
        yield
    except WriteError as error:
        say(f"{error} The scores are printed, but not stored.", style="yellow")


@tell_unstored()
def store_scores(
    folder: RunFolder,
    found: Sequence[Evaluation],
    report: CardReport,
    files: Sequence[Path] = (),
) -> None:
    """Keep what was found of test sets, beside what is known, and on the card.

    `files` are those that a set came from, if it is not the run's own; the own sets come first.
    The card of an imported network says where it is from, and stays as it is.
    """
    new = {one.name: seal({**one.summary(), **origin_of(files)}) for one in found}
    stored = stored_scores(folder, report) | new
    stored = dict(sorted(stored.items(), key=lambda item: FILES in item[1] or SETTINGS in item[0]))
    if read_recipe(folder.recipe).corpus.kind != "imported":
        _write_card(folder, report, stored)
    # Last: where the scores are stored, the evaluation counts as done.
    write_atomic(folder.scores, json.dumps(stored, indent=1, ensure_ascii=False) + "\n")


def _training(folder: RunFolder, loss: str, unit: str) -> str:
    log = read_log(folder.metrics)
    if not log:
        return ""
    seconds = sum(row.get("seconds", 0.0) for row in log)
    judged = [row for row in log if row["kind"] == "validation"]
    words = [f"Trained for {log[-1]['step']:,} steps in {seconds / 60:.1f} minutes."]
    if judged:
        last = judged[-1]
        figures = [f", {title} {last[name]:.2f}" for name, title in FIGURES.items() if name in last]
        told = loss.format_map({**last, "unit": unit})
        words.append(f"Last validation: {told}{''.join(figures)}.")
    words += [f"Diagnosis: {row['text']}" for row in log if row["kind"] == "diagnosis"]
    picture = "\n\n![Training curves](curves.png)" if folder.curves.exists() else ""
    return "## Training\n\n" + "\n".join(words) + picture


def _made(recipe: Recipe) -> str:
    made = recipe.made_with
    if made is None:
        return ""
    return (
        "## Made with\n\n"
        f"Dragoman {made.dragoman}, Python {made.python}, torch {made.torch}, "
        f"{made.threads} thread{'s' if made.threads != 1 else ''}, {made.platform}. The recipe in "
        "this folder reproduces the run."
    )
