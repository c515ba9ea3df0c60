"""What are the parts of a Transformer for: its feed-forward, its heads, its learned q, k and v?

Each part is left out once, on a task of made-up words where it should matter; everything else stays
equal. The feed-forward: the sense of a word follows from it and the word before it, by a table; two
layers with a feed-forward have as many weights as four of attention alone. The heads: each place is
asked for the word before it and for the one marked word of the text, so there are two things to
look at; two heads or one share the same width. Learned q, k and v: is the partner of the first
word, drawn once for all, in the text? Fixed attention is softmax(xxᵀ)x on embeddings that stay as
they were drawn; its feed-forward is wider, so that it has as many weights.

Texts are new at every step, and so are those of the test. Learning rates are, for each network, the
best of 1e-3, 3e-3 and 1e-2 with seed 90, and the power estimates are from seeds 91 to 97.
"""

from pathlib import Path

import torch
from torch import Tensor, nn

from dragoman.lab.experiment import Experiment, NoOptions, Result, ResultTable
from dragoman.lab.experiments.transformer_parts.data import (
    NOTHING,
    LabeledTokens,
    LabelTask,
    Task,
)
from dragoman.lab.experiments.transformer_parts.networks import (
    AttentionAlone,
    FixedAttention,
    Labeler,
    LabelObjective,
    full_layers,
)
from dragoman.lab.experiments.transformer_parts.verdicts import (
    ALONE,
    CLAIMS,
    FITTED,
    FIXED,
    FULL,
    LEARNED,
    ONE,
    TWO,
    accuracies,
    decide,
    head_weights,
)
from dragoman.lab.results import Measurement, Results, names, percent_of, select, spread_of
from dragoman.lab.runner import TrialRunner
from dragoman.lab.small_training import begin, numbered, train_small
from dragoman.lab.trial import ModelTrial, parameter_count
from dragoman.neural.layers.watchable import watching
from dragoman.plots.lab import Bars, draw_panels

TESTED, TEST_BATCH = 2000, 10**7
"""Texts of the test, and the number of their batch, which no training reaches."""


class PartsTrial(ModelTrial):
    """One network on one task, with one seed."""

    task: Task
    words: int
    length: int
    width: int
    rate: float
    steps: int
    rows: int = 64


SETTINGS: dict[str, PartsTrial] = {
    name: PartsTrial(
        name=name, seed=0, task=task, words=words, length=length, width=width, rate=rate,
        steps=steps, rows=rows,
    )
    for task, words, length, width, rate, steps, rows, arms in (
        ("senses", 24, 12, 32, 1e-2, 600, 64, (FULL, ALONE)),
        ("two rules", 24, 12, 16, 1e-2, 600, 64, (TWO, ONE)),
        ("context", 40, 8, 32, 3e-3, 1200, 128, (LEARNED, FIXED, FITTED)),
    )
    for name in arms
}  # fmt: skip


def measure(runner: TrialRunner, _: NoOptions) -> Result:
    """Train every network with every seed; the quick run differs in its seeds alone."""
    trials = [
        one.model_copy(update={"seed": seed}) for seed in runner.seeds for one in SETTINGS.values()
    ]
    results = runner.run(trials, lambda trial, _: measure_trial(trial))
    return Result(results, decide(results), [table(results)])


def measure_trial(trial: PartsTrial) -> Measurement:
    """Train one network, and test it on new texts."""
    begin(trial.seed)
    task = LabelTask(trial.task, trial.words, trial.length, trial.seed)
    model = build(trial, task)
    losses = train_small(
        LabelObjective(model),
        numbered(lambda number: task.draw(number, trial.rows)),
        steps=trial.steps,
        learning_rate=trial.rate,
        seed=trial.seed,
    )
    test = task.draw(TEST_BATCH, TESTED)
    found: Measurement = {
        "parameters": parameter_count(model),
        "loss": losses[-1],
        **right_share(model, test),
    }
    return found | (looked_at(model, test) if trial.task == "two rules" else {})


def build(trial: PartsTrial, task: LabelTask) -> Labeler:
    """Build a network by its name."""
    width = trial.width
    match trial.name:
        case "with feed-forward":
            return Labeler(task, width, full_layers(width, 2, 2 * width, 2))
        case "attention alone":
            layers: list[nn.Module] = [AttentionAlone(width, 2) for _ in range(4)]
            return Labeler(task, width, layers)
        case "two heads" | "one head":
            heads = 2 if trial.name == TWO else 1
            return Labeler(task, width, full_layers(width, heads, 2 * width, 1))
        case "learned q, k, v":
            layers = full_layers(width, 1, 2 * width, 1)
            return Labeler(task, width, layers, positions=False, fixed_embeddings=True)
        case _:
            fixed = trial.name == FIXED
            layers = [FixedAttention(width, 4 * width)]
            return Labeler(task, width, layers, positions=False, fixed_embeddings=fixed)


@torch.no_grad()
def right_share(model: Labeler, test: LabeledTokens) -> Measurement:
    """Return the share of the labels that are right: of each kind, and the mean of the kinds."""
    said = model(test.tokens).argmax(dim=-1)
    asked = test.labels.ne(NOTHING)
    shares = [
        float(said[..., kind][asked[..., kind]].eq(test.labels[..., kind][asked[..., kind]])
              .double().mean())
        for kind in range(test.labels.shape[2])
    ]  # fmt: skip
    return {"accuracies": shares, "accuracy": sum(shares) / len(shares)}


@torch.no_grad()
def looked_at(model: Labeler, test: LabeledTokens) -> Measurement:
    """Return how much of each head's weight goes to the word before, and to the marked one.

    Only places where these are two different words count.
    """
    seen: list[Tensor] = []
    with watching(model.attention(), seen.append):
        model(test.tokens)
    weights = seen[0]  # b h n n
    place = torch.arange(1, weights.shape[2])
    before = weights[:, :, place, place - 1]  # b h n-1
    where = test.marked[:, None, None, None].expand(-1, *weights.shape[1:3], 1)
    marked = weights.gather(3, where)[:, :, 1:, 0]
    apart = test.marked[:, None].ne(place - 1)[:, None].double()  # b 1 n-1
    shares = [((one * apart).sum(dim=(0, 2)) / apart.sum()).tolist() for one in (before, marked)]
    return {"before": shares[0], "marked": shares[1], "parted": parted(*shares)}


def parted(before: list[float], marked: list[float]) -> float:
    """Return by how much each head prefers its own rule, in the better of the two assignments."""
    gaps = [one - other for one, other in zip(before, marked, strict=True)]
    if len(gaps) < 2:
        return 0.0
    return max(min(gaps[0], -gaps[1]), min(-gaps[0], gaps[1]))


def table(results: Results) -> ResultTable:
    """Return what each network got right."""
    lines = [
        (
            name,
            str(select(results, name)[0]["task"]),
            f"{select(results, name)[0]['parameters']:,}",
            f"{select(results, name)[0]['rate']:g}",
            percent_of(results, name, "accuracy"),
            spread_of(results, name, "loss").written(),
        )
        for name in names(results)
    ]
    return ResultTable(
        "Right labels of new texts, %",
        ("network", "task", "weights", "rate", "right, %", "loss at the end"),
        lines,
        "± is the deviation over seeds, which draw the task, the texts and the weights. Rates were "
        "chosen beforehand with seed 90.",
    )


def draw(result: Result, path: Path) -> None:
    """Draw what each network got right, and what two heads look at."""
    results = result.measurements
    groups = {
        "feed-forward: right senses, %": (FULL, ALONE),
        "heads: right labels, %": (TWO, ONE),
        "q, k, v: right answers, %": (LEARNED, FIXED, FITTED),
    }
    panels = [
        Bars(title, list(arms), [accuracies(results, name) for name in arms])
        for title, arms in groups.items()
    ]
    weights = [*head_weights(results, "before"), *head_weights(results, "marked")]
    labels = ["before: one", "the other", "marked: one", "the other"]
    panels.append(Bars("two heads: weight on the word before, and on the marked", labels, weights))
    draw_panels(panels, path, "What the parts of a Transformer are for")


EXPERIMENT = Experiment(
    name="transformer-parts",
    title="What the feed-forward, several heads and learned q, k, v are for",
    hypotheses=CLAIMS,
    options=NoOptions,
    measure=measure,
    draw=draw,
    seeds=tuple(range(1, 11)),
)
