"""Scaling laws on Pig Latin: six decoder-only models, isoFLOP profiles, the size for 1e15 FLOPs.

Each size is trained once for each seed and read at every budget, as the notes do: their learning
rate falls by a hundredth each epoch and does not know its end. Losses are read where a budget is
reached; the notes fit a polynomial of degree five through the epochs instead.
"""

from pathlib import Path

from dragoman.config.settings import Settings
from dragoman.lab.experiment import Experiment, Result, ResultTable, Size
from dragoman.lab.experiments.pig_latin.data import Words, gather_words
from dragoman.lab.experiments.pig_latin.experiment import decoder_only
from dragoman.lab.experiments.scaling.formulas import LAYERS
from dragoman.lab.experiments.scaling.training import PigLatinScalingTrial, train_trial
from dragoman.lab.experiments.scaling.verdicts import CLAIMS, FAR, NOTES, OWN_RUN, PUBLIC, decide
from dragoman.lab.results import Results, names, select, spread_of
from dragoman.lab.runner import TrialRunner
from dragoman.planner.scaling.laws import Proposal, ScalingLaws, fit_scaling_laws
from dragoman.planner.scaling.points import ScalingFitError, ScalingPoint
from dragoman.planner.sweep.plot import scaling_plot
from dragoman.planner.sweep.report import count_text, record
from dragoman.planner.sweep.report import tables as law_tables
from dragoman.plots.scaling import Estimate, draw_scaling

WIDTHS = (16, 32, 48, 64, 96, 128)
BUDGETS = (0.08e12, 0.16e12, 0.32e12, 0.64e12, 1.28e12)
QUICK_SHARE = 1 / 16
EPOCHS, LONGEST = 100, {16: 800, 32: 300}
"""Epochs to train at least; and at most, by width, 200 of the others. The smallest model needs 730
for the largest budget."""

NOTE = (
    "Losses are nats per letter of unseen words. N counts no embeddings and FLOPs are those of the "
    "public formula, as in the notes; D counts the letters and marks of both sides. Every size "
    "trains for 100 epochs at least and until it reaches the largest budget. Intervals are 95 %, "
    "by residual bootstrap over trainings."
)


class ScalingOptions(Settings):
    """The options of this experiment."""

    words: Path | None = None
    """Your own words, one on each line; the first seventh is trained on."""


def trials_of(words: str, size: Size, seed: int) -> list[PigLatinScalingTrial]:
    """Return the trainings of one seed, the smallest model first."""
    quick = size == "quick"
    return [
        PigLatinScalingTrial(
            name=f"h{width}",
            seed=seed,
            words=words,
            model=decoder_only(width, LAYERS),
            budgets=tuple(QUICK_SHARE * one for one in BUDGETS) if quick else BUDGETS,
            epochs=0 if quick else EPOCHS,
            longest=LONGEST.get(width, 2 * EPOCHS),
        )
        for width in WIDTHS
    ]


def measure(runner: TrialRunner, options: ScalingOptions) -> Result:
    """Train every size with every seed, and fit the laws."""
    words = gather_words(options.words)
    trials = [one for seed in runner.seeds for one in trials_of(words.checksum, runner.size, seed)]
    results = runner.run(trials, lambda trial, _: train_trial(trial, words))
    laws = laws_of(results)
    proposals = proposals_of(laws)
    found = record(laws, proposals)
    return Result(results, decide(results, laws), tables(results, laws, words), found)


def points_of(results: Results) -> list[ScalingPoint]:
    """Return the loss of each training at each budget that it reached."""
    return [
        ScalingPoint(
            parameters=result["parameters"],
            tokens=read["tokens"],
            flops=read["flops"],
            budget=read["budget"],
            loss=read["loss"],
            seed=result["seed"],
            run=f"{result['name']}/{result['seed']}",
        )
        for result in results
        for read in result["at_budget"]
    ]


def laws_of(results: Results) -> ScalingLaws:
    """Fit the laws to the results."""
    return fit_scaling_laws(points_of(results))


def proposals_of(laws: ScalingLaws) -> list[Proposal]:
    """Return what the laws say about the run of the notes and about 1e15 FLOPs, if anything."""
    found = []
    for flops in (OWN_RUN[2], FAR):
        try:
            found.append(laws.at(flops))
        except ScalingFitError:
            continue
    return found


def tables(results: Results, laws: ScalingLaws, words: Words) -> list[ResultTable]:
    """Return the trainings, the optima of the budgets, the laws and what they propose."""
    own = ResultTable(
        f"The trainings ({len(words.small):,} words, four fifths to train on)",
        ("size", "parameters", "epochs", "TFLOP", "tokens", "loss", "by batch", "seconds"),
        [_line(results, name) for name in names(results)],
        NOTE,
    )
    fitted = [
        ResultTable(one.title, one.header, one.rows) for one in law_tables(laws, proposals_of(laws))
    ]
    return [own, *fitted]


def _line(results: Results, name: str) -> tuple[str, ...]:
    first = select(results, name)[0]
    return (
        name,
        f"{first['parameters']:,}",
        f"{spread_of(results, name, 'epochs_run').mean:.0f}",
        f"{spread_of(results, name, 'flops', 1e-12).mean:.3g}",
        count_text(spread_of(results, name, "tokens").mean),
        spread_of(results, name, "loss").written(),
        spread_of(results, name, "by_batch").written(),
        f"{spread_of(results, name, 'seconds').mean:.0f}",
    )


def draw(result: Result, path: Path) -> None:
    """Draw loss against FLOPs by size, the profiles and the compute-optimal lines."""
    laws = laws_of(result.measurements)
    curves: dict[int, list[list[tuple[float, float]]]] = {}
    for one in result.measurements:
        curve = [(read[0], read[2]) for read in one["curve"]]
        curves.setdefault(one["parameters"], []).append(curve)
    others = [
        [
            Estimate(FAR, NOTES, NOTES, NOTES, "notes: 3.7M at 1e15"),
            Estimate(FAR, PUBLIC, PUBLIC, PUBLIC, "public runs: 1.94M at 1e15"),
            Estimate(OWN_RUN[2], OWN_RUN[0], OWN_RUN[0], OWN_RUN[0], "the notes' run"),
        ],
        [Estimate(OWN_RUN[2], OWN_RUN[1], OWN_RUN[1], OWN_RUN[1], "the notes' run, 5.0M")],
    ]
    seeds = sorted({one["seed"] for one in result.measurements})
    about = f"{len(curves)} sizes, {len(laws.profiles)} budgets; seeds {', '.join(map(str, seeds))}"
    title = "Scaling of a decoder-only model on Pig Latin"
    plot = scaling_plot(
        laws, curves, title, about, furthest=FAR, others=others,
        unit="validation loss (nats per letter)",
    )  # fmt: skip
    draw_scaling(plot, path)


EXPERIMENT = Experiment(
    name="scaling",
    needs=("common-words",),
    title="Scaling laws of a decoder-only model on Pig Latin: isoFLOP profiles, N* at 1e15 FLOPs",
    hypotheses=CLAIMS,
    options=ScalingOptions,
    measure=measure,
    draw=draw,
)
