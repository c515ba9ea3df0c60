"""Which caption finds its image at the first try: the short one, the descriptive one, or both?

A small CLIP learns from generated images of one or two coloured shapes, with captions that name the
shapes, their colours too, or their sizes as well, and now and then idle words around them. Then it
is sent on a hunt: for each of some unseen images, one caption, and the image that comes first among
all of them. Only the very image that was described is right, though a short caption fits many. The
same image is described with more and more detail, and with all of it between idle words, which say
nothing and make the caption four times as long.

The network knows idle words from a quarter of its captions, so they are nothing new to it. The
rate was the better of 3e-3 and 1e-2 with seeds 90 to 94, which the power estimate is from as well.
"""

from pathlib import Path
from statistics import fmean

import numpy as np
import torch

from dragoman.config.clip import ClipSettings, TextTowerSettings
from dragoman.config.training import ObjectiveSettings
from dragoman.config.vision import ResNetSettings
from dragoman.data.batching.pixels import Pixels
from dragoman.data.tokenizer.special_tokens import END
from dragoman.lab.experiment import Experiment, NoOptions, Result, ResultTable
from dragoman.lab.experiments.captions.data import LONGEST, CaptionedShapes, captions_of
from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis, Verdict
from dragoman.lab.power import Power
from dragoman.lab.results import Measurement, Results
from dragoman.lab.runner import TrialRunner
from dragoman.lab.small_training import begin, numbered, train_small
from dragoman.lab.spread import Spread, difference, spread
from dragoman.lab.trial import ModelTrial, parameter_count
from dragoman.metrics.retrieval import ranks
from dragoman.neural.models.clip.model import Clip
from dragoman.plots.lab import Bars, draw_panels
from dragoman.tasks.common.pixels import as_read
from dragoman.tasks.image_text.objective import ContrastiveObjective

KINDS = {
    "shapes": (1, False),
    "and colours": (2, False),
    "and sizes": (3, False),
    "all between idle words": (3, True),
}
"""How much a caption says, and whether it has idle words."""
LEAST, MOST, IDLE = "shapes", "and sizes", "all between idle words"
WORTH = 0.03
"""Of the hunts: the smallest share that idle words must cost to be worth leaving out."""

SHORT_AND_DESCRIPTIVE = ExperimentHypothesis(
    ("A43",),
    "a caption should be short and descriptive: then the image is found at the first try.",
    Power(effect=WORTH, deviation=0.02),
)


class CaptionTrial(ModelTrial):
    """One network, one seed."""

    name: str = "CLIP"
    images: int = 3000
    tested: int = 400
    size: int = 16
    rows: int = 64
    steps: int = 600
    rate: float = 3e-3


MODEL = ClipSettings(
    width=32,
    image=ResNetSettings(stages=(1, 1), width=16, stem="small"),
    text=TextTowerSettings(
        width=32, heads=2, ffn_width=64, layers=1, max_positions=LONGEST, causal=False,
        pooling="mean", dropout=0.0,
    ),
)  # fmt: skip


def measure(runner: TrialRunner, _: NoOptions) -> Result:
    """Train a network with every seed; the quick run differs in its seeds alone."""
    trials = [CaptionTrial(seed=seed) for seed in runner.seeds]
    results = runner.run(trials, lambda trial, _: measure_trial(trial))
    return Result(results, [decide(results)], [table(results)])


def measure_trial(trial: CaptionTrial) -> Measurement:
    """Train one network, and send it on a hunt with captions of each kind."""
    begin(trial.seed)
    drawn = CaptionedShapes.draw(trial.images, trial.size, trial.seed)
    model = Clip(MODEL, 3, trial.size, drawn.reader.tokenizer.size, end=END)
    pixels = Pixels.of(drawn.drawn.images)
    objective = ContrastiveObjective(model, ObjectiveSettings(label_smoothing=0.0), pixels)
    losses = train_small(
        objective,
        numbered(lambda number: drawn.batch(number, trial.rows, trial.seed)),
        steps=trial.steps,
        learning_rate=trial.rate,
        seed=trial.seed,
    )
    test = drawn.unseen(trial.tested, trial.seed)
    found: Measurement = {"parameters": parameter_count(model), "loss": losses[-1]}
    with torch.no_grad():
        seen = model.see(as_read(test.images, pixels, torch.device("cpu")))
        for kind, (detail, idle) in KINDS.items():
            said = captions_of(test.scenes, detail, idle=idle)
            tokens, lengths = drawn.reader.rows(said)
            likeness = (model.read(torch.from_numpy(tokens)) @ seen.T).numpy()
            found[kind] = hunt(likeness) | {"words": float(lengths.mean() - 2)}
    return found


def hunt(likeness: "np.ndarray[tuple[int, int], np.dtype[np.float32]]") -> dict[str, float]:
    """Return how often the described image comes first; captions and images are in one order."""
    place = ranks(likeness, np.eye(len(likeness), dtype=np.bool_))
    return {"first": float((place <= 1).mean()), "median_rank": float(np.median(place))}


def first_tries(results: Results, kind: str) -> list[float]:
    """Return the share of hunts that end at the first try, seed by seed."""
    ordered = sorted(results, key=lambda one: int(one["seed"]))
    return [float(one[kind]["first"]) for one in ordered]


def decide(results: Results) -> ClaimVerdict:
    """Say whether detail helps, and whether idle words hurt."""
    detail = difference(first_tries(results, MOST), first_tries(results, LEAST))
    idle = difference(first_tries(results, MOST), first_tries(results, IDLE))
    verdict: Verdict = "undecided"
    if detail.side_of(0.0) == "below":
        verdict = "refuted"
    elif detail.side_of(0.0) == "above":
        if idle.side_of(0.0) == "above":
            verdict = "confirmed"
        elif idle.side_of(WORTH) == "below":
            verdict = "corrected"
    shares = "; ".join(f"{kind} {_percent(results, kind).written(1)} %" for kind in KINDS)
    return ClaimVerdict(
        SHORT_AND_DESCRIPTIVE,
        verdict,
        f"Found at the first try among {results[0]['tested']} images: {shares}. All detail instead "
        f"of the shapes alone {detail.points()}; without idle words instead of between them "
        f"{idle.points()}.",
    )


def _percent(results: Results, kind: str) -> Spread:
    return spread([100 * one for one in first_tries(results, kind)])


def table(results: Results) -> ResultTable:
    """Return how often each kind of caption finds its image."""
    lines = [
        (
            kind,
            f"{fmean(one[kind]['words'] for one in results):.1f}",
            _percent(results, kind).written(1),
            spread([float(one[kind]["median_rank"]) for one in results]).written(1),
        )
        for kind in KINDS
    ]
    chance = 100 / results[0]["tested"]
    return ResultTable(
        f"The hunt for one of {results[0]['tested']} images",
        ("caption", "words", "first try, %", "median rank"),
        lines,
        f"± is the deviation over seeds. {results[0]['parameters']:,} weights; a guess has "
        f"{chance:.2f} %.",
    )


def draw(result: Result, path: Path) -> None:
    """Draw how often each kind of caption finds its image, and its rank."""
    results = result.measurements
    kinds = list(KINDS)
    panels = [
        Bars("found at the first try, %", kinds,
             [[100 * one for one in first_tries(results, kind)] for kind in kinds]),
        Bars("median rank", kinds,
             [[float(one[kind]["median_rank"]) for one in results] for kind in kinds]),
    ]  # fmt: skip
    draw_panels(panels, path, "Captions that find their image")


EXPERIMENT = Experiment(
    name="captions",
    title="Captions on a hunt for their image: detail, and idle words",
    hypotheses=(SHORT_AND_DESCRIPTIVE,),
    options=NoOptions,
    measure=measure,
    draw=draw,
    seeds=tuple(range(1, 9)),
)
