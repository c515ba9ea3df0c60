"""Does batch norm speed training up, and is it the covariate shift that it removes?

A small convolutional network learns the shapes on generated images: with batch norm, without it,
and with batch norm after which every channel is scaled and shifted at random, anew at each step
(Santurkar et al. 2018). The last has the shift back, more of it than the network without a norm,
and keeps what else batch norm does. If it still learns faster than without a norm, the shift is not
the reason. Speed is the mean of the training loss over all steps: the lower, the sooner it fell.

All have the same images, batches, steps and first weights. The rate, 0.1 with momentum, was the
best of 0.03, 0.1 and 0.3 for each of the three with seed 90; the power estimate is from seeds 90
to 94.
"""

from pathlib import Path
from statistics import fmean

import numpy as np
import torch

from dragoman.config.optimizer import Momentum
from dragoman.config.training import ObjectiveSettings
from dragoman.data.batching.images import ImageBatch
from dragoman.data.batching.pixels import Pixels
from dragoman.data.corpus.generators.shape_words import SHAPES
from dragoman.data.corpus.generators.shapes import draw_shapes
from dragoman.lab.experiment import Experiment, NoOptions, Result, ResultTable
from dragoman.lab.experiments.normalization.network import ShiftMeter, build_cnn, measuring
from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis, Verdict
from dragoman.lab.power import Power
from dragoman.lab.results import Measurement, Results, gap_of, names, percent_of, select, spread_of
from dragoman.lab.runner import TrialRunner
from dragoman.lab.small_training import begin, numbered, train_small
from dragoman.lab.trial import ModelTrial, parameter_count
from dragoman.plots.lab import Bars, Panel, PlotLine, by_place, draw_panels
from dragoman.tasks.common.pixels import as_read
from dragoman.tasks.image_classification.objective import ImageClassificationObjective

NORM, NONE, SHIFTED = "batch norm", "no norm", "batch norm, shift put back"
NAMES = (NORM, NONE, SHIFTED)
TEST_SEED = 50_000_017
"""Added to a seed for the images of the test."""

CATALYST = ExperimentHypothesis(
    ("E32",),
    "batch norm makes training faster, because it takes away the internal covariance shift.",
    Power(effect=0.15, deviation=0.19),
)


class NormTrial(ModelTrial):
    """One network, one seed."""

    batch_norm: bool
    strength: float = 0.0
    """How strongly channels are scaled and shifted after each batch norm."""
    images: int = 512
    tested: int = 1000
    size: int = 12
    rows: int = 64
    steps: int = 250
    rate: float = 0.1


def measure(runner: TrialRunner, _: NoOptions) -> Result:
    """Train every network with every seed; the quick run differs in its seeds alone."""
    trials = [
        NormTrial(
            name=name,
            seed=seed,
            batch_norm=name != NONE,
            strength=0.25 if name == SHIFTED else 0.0,
        )
        for seed in runner.seeds
        for name in NAMES
    ]
    results = runner.run(trials, lambda trial, _: measure_trial(trial))
    return Result(results, [decide(results)], [table(results)])


def measure_trial(trial: NormTrial) -> Measurement:
    """Train one network, and measure how soon its loss falls and how far its inputs shift."""
    begin(trial.seed)
    model = build_cnn(trial.batch_norm, trial.strength, trial.size, len(SHAPES))
    shown = shapes(trial.images, trial.size, trial.seed)
    pixels = Pixels.of(shown.images)
    objective = ImageClassificationObjective(model, ObjectiveSettings(label_smoothing=0.0), pixels)
    meter = ShiftMeter()

    def batch(number: int) -> ImageBatch:
        random = np.random.default_rng((trial.seed, number))
        chosen = random.choice(trial.images, trial.rows, replace=False)
        return ImageBatch(shown.images[chosen], shown.classes[chosen], chosen)

    with measuring(model, meter):
        losses = train_small(
            objective,
            numbered(batch),
            steps=trial.steps,
            learning_rate=trial.rate,
            seed=trial.seed,
            optimizer=Momentum(learning_rate=trial.rate),
        )
    test = shapes(trial.tested, trial.size, trial.seed + TEST_SEED)
    with torch.no_grad():
        said = model(as_read(test.images, pixels, torch.device("cpu"))).argmax(dim=1).numpy()
    return {
        "parameters": parameter_count(model),
        "mean_loss": fmean(losses),
        "last_loss": fmean(losses[-10:]),
        "shift": meter.shift,
        "accuracy": float((said == test.classes).mean()),
        "curve": [fmean(losses[begin : begin + 10]) for begin in range(0, len(losses), 10)],
    }


def shapes(count: int, size: int, seed: int) -> ImageBatch:
    """Draw images of one shape each, with the numbers of their shapes."""
    drawn = draw_shapes(count, size, seed)
    classes = np.array([SHAPES.index(one) for one in drawn.classes], dtype=np.int64)
    return ImageBatch(drawn.images, classes, np.arange(count))


def decide(results: Results) -> ClaimVerdict:
    """Say whether batch norm is faster, and whether it still is with the shift put back."""
    faster = gap_of(results, NONE, NORM, "mean_loss")
    still = gap_of(results, NONE, SHIFTED, "mean_loss")
    shifted = gap_of(results, SHIFTED, NONE, "shift")
    verdict: Verdict = "undecided"
    if faster.side_of(0.0) == "below":
        verdict = "refuted"
    elif faster.side_of(0.0) == "above" and shifted.side_of(0.0) == "above":
        reasons: dict[str, Verdict] = {"above": "corrected", "below": "confirmed"}
        verdict = reasons.get(still.side_of(0.0), "undecided")
    shifts = ", ".join(f"{name} {spread_of(results, name, 'shift').written()}" for name in NAMES)
    return ClaimVerdict(
        CATALYST,
        verdict,
        f"Mean training loss, in nats: without a norm {faster.interval()} more than with batch "
        f"norm, and {still.interval()} more than with batch norm and the shift put back. How far "
        f"the mean of a channel moves from step to step, in deviations: {shifts}. (What is meant "
        "is a covariate shift, of what a layer reads while those below it learn.)",
    )


def table(results: Results) -> ResultTable:
    """Return how soon each network learned, and what it learned."""
    lines = [
        (
            name,
            f"{select(results, name)[0]['parameters']:,}",
            spread_of(results, name, "mean_loss").written(),
            spread_of(results, name, "last_loss").written(),
            spread_of(results, name, "shift").written(),
            percent_of(results, name, "accuracy"),
        )
        for name in names(results)
    ]
    return ResultTable(
        "Shapes on generated images",
        ("network", "weights", "mean loss", "loss at the end", "shift", "right, % of new images"),
        lines,
        "± is the deviation over seeds; losses are of training, in nats. Shift: by how many "
        "deviations the mean of a channel moves from step to step. A guess has 12.5 %.",
    )


def draw(result: Result, path: Path) -> None:
    """Draw the training loss against the steps, and the shift."""
    results = result.measurements
    lines = []
    for color, name in enumerate(NAMES):
        values = by_place([one["curve"] for one in select(results, name)])
        places = [10.0 * (place + 1) for place in range(len(values))]
        lines.append(PlotLine(name, places, values, color))
    shifts = [[float(one["shift"]) for one in select(results, name)] for name in NAMES]
    panels: list[Panel | Bars] = [
        Panel("training loss, nats", lines, "step", lowest=0.0),
        Bars("shift from step to step, in deviations", list(NAMES), shifts),
    ]
    draw_panels(panels, path, "Batch norm, and the covariate shift")


EXPERIMENT = Experiment(
    name="normalization",
    title="Batch norm: how much faster, and is it the covariate shift?",
    hypotheses=(CATALYST,),
    options=NoOptions,
    measure=measure,
    draw=draw,
    seeds=tuple(range(1, 17)),
)
