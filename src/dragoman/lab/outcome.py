"""Outcomes of the runs of a comparison, read from their folders, and the means over the seeds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median, stdev
from typing import Any

from dragoman.config.reading import read_recipe
from dragoman.core.console import progress_bar
from dragoman.core.errors import DataError
from dragoman.data.corpus.held_out import load_held_out
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.metrics_log import Row, read_log
from dragoman.engine.checkpoint.weights import read_weights
from dragoman.tasks.common.card import stored_scores
from dragoman.tasks.translation.evaluate import evaluate
from dragoman.tasks.translation.prepare import validation_batches
from dragoman.tasks.translation.report import REPORT


@dataclass(frozen=True)
class Outcome:
    """One finished run."""

    seed: int
    folder: str
    parameters: int
    steps: int
    minutes: float
    """Of steps alone, without validating and storing."""

    tokens: int
    """Target tokens seen."""

    tokens_per_second: float
    """The median of the log's lines."""

    nats_per_token: float
    """Validation loss of the best weights; where several are averaged, of the best of them."""

    nats_per_character: float
    """The same over the characters of the targets, so that vocabularies can be compared."""

    curve: list[dict[str, float]]
    """A point for each validation: step, minutes, tokens, bleu, chrf."""

    tests: dict[str, dict[str, Any]]
    """By test set, as scores.json has it."""


@dataclass(frozen=True)
class Figure:
    """A figure over the seeds."""

    mean: float
    deviation: float | None
    """Of the sample; nothing where there is one seed."""

    @classmethod
    def of(cls, values: Sequence[float]) -> "Figure":
        """Take the mean and the standard deviation."""
        return cls(fmean(values), stdev(values) if len(values) > 1 else None)

    def times(self, factor: float) -> "Figure":
        """Return it in another unit."""
        spread = None if self.deviation is None else factor * self.deviation
        return Figure(factor * self.mean, spread)


@dataclass(frozen=True)
class Standing:
    """One recipe with all its runs."""

    name: str
    kind: str
    outcomes: list[Outcome]

    def over_seeds(self, figure: Callable[[Outcome], float]) -> Figure:
        """Return a figure of the runs, over the seeds."""
        return Figure.of([figure(each) for each in self.outcomes])

    def score(self, test: str, name: str) -> Figure:
        """Return a score of a test set: bleu, chrf or exact."""
        return self.over_seeds(lambda each: score_of(each.tests[test], name))

    def alignment(self, test: str) -> Figure | None:
        """Return the alignment error of a test set, where it was taken."""
        found = [alignment_of(each.tests[test]) for each in self.outcomes]
        there = [each for each in found if each is not None]
        return Figure.of(there) if len(there) == len(found) else None

    def by_length(self, test: str) -> dict[str, Figure]:
        """Return the BLEU of each bucket of source lengths."""
        rows = [
            {row["bucket"]: row["bleu"] for row in each.tests[test]["by_length"]}
            for each in self.outcomes
        ]
        return {bucket: Figure.of([row[bucket] for row in rows]) for bucket in rows[0]}


def score_of(test: Mapping[str, Any], name: str) -> float:
    """Return a score as it stands in scores.json."""
    return float(test["exact"] if name == "exact" else test["scores"][name]["value"])


def alignment_of(test: Mapping[str, Any]) -> float | None:
    """Return the alignment error as it stands in scores.json, from 0 to 1, if it does."""
    found = test.get("alignment")
    return None if found is None else float(found["error"])


def score_run(folder: RunFolder) -> None:
    """Translate and score a run's own test sets, unless that is done."""
    sets = load_held_out(folder.data).tests
    if not sets:
        raise DataError(f"{folder.path}: has no test set, so there is nothing to compare by.")
    beam = read_recipe(folder.recipe).decoding.beam
    stored = stored_scores(folder, REPORT)
    if all(stored.get(name, {}).get("beam") == beam for name in sets):
        return
    with progress_bar("testing", sum(map(len, sets.values()))) as bar:
        evaluate(folder.path, after_batch=bar.advance)


def outcome(folder: RunFolder, seed: int) -> Outcome:
    """Read what came of a run that is trained and tested."""
    recipe = read_recipe(folder.recipe)
    held_out = load_held_out(folder.data)
    stored = read_weights(folder.model)
    log = read_log(folder.metrics)
    train = [row for row in log if row["kind"] == "train"]
    judged = [row for row in log if row["kind"] == "validation"]
    steps = log[-1]["step"]
    chosen = [row for row in judged if str(row["step"]) == stored.notes.get("step")] or judged
    nats = float(chosen[-1]["loss"])
    batches = validation_batches(
        TokenizerPair.load(folder.tokenizer), held_out.valid, recipe.batches
    )
    tokens = sum(batch.target_count for batch in batches)
    characters = sum(len(held_out.valid[i].target) for batch in batches for i in batch.examples)
    stored_tests = stored_scores(folder, REPORT)
    return Outcome(
        seed=seed,
        folder=folder.path.name,
        parameters=sum(tensor.numel() for tensor in stored.tensors.values()),
        steps=steps,
        minutes=_until(train, "seconds", steps) / 60,
        tokens=round(_until(train, "tokens", steps)),
        tokens_per_second=median(row["tokens_per_second"] for row in train) if train else 0.0,
        nats_per_token=nats,
        nats_per_character=nats * tokens / max(1, characters),
        curve=[
            {
                "step": row["step"],
                "minutes": _until(train, "seconds", row["step"]) / 60,
                "tokens": _until(train, "tokens", row["step"]),
                "bleu": row["bleu"],
                "chrf": row["chrf"],
            }
            for row in judged
        ],
        tests={name: stored_tests[name] for name in held_out.tests},
    )


def _until(train: Sequence[Row], key: str, step: int) -> float:
    """Add up the log until a step; of a line that goes beyond it, or lacks, the share counts."""
    total, before, each = 0.0, 0, 0.0
    for row in train:
        each = row[key] / max(1, row["step"] - before)
        if row["step"] >= step:
            break
        total, before = total + row[key], row["step"]
    return total + each * (step - before)
