"""Should a decoder in training be told the right last word, or what it has said itself?

Two translators learn toy languages (see `encoder_decoder.data`): one that begins to write where it
has read to, with its source reversed, and one that attends to the source. Each is trained in three
ways, with equally many steps on the same sentences: told the right word before each (teacher
forcing), fed its own likeliest word, or first the one and then, more and more, the other (scheduled
sampling, Bengio et al. 2015). The test is always translated without help; the longest sentences
also with the right words told, and what that is worth is the exposure bias.

The learning rate of the first is the best of three for both ways in a pilot with seed 90, that of
the second the one of `encoder_decoder`.
"""

from pathlib import Path
from statistics import fmean

from dragoman.lab.experiment import Experiment, NoOptions, Result, ResultTable
from dragoman.lab.experiments.encoder_decoder.experiment import (
    ATTENDING,
    KEPT,
    SORTED,
    summarizing,
)
from dragoman.lab.experiments.encoder_decoder.training import (
    ToyTrial,
    exact_share,
    forced_words,
    train_toy,
    translate,
    word_accuracy,
)
from dragoman.lab.experiments.teacher_forcing.verdicts import (
    FORCING,
    MIXED,
    NETWORKS,
    OWN,
    TOLD,
    arm,
    decide,
    exposure,
)
from dragoman.lab.results import Measurement, Results, figures, names, select, spread_of
from dragoman.lab.runner import TrialRunner
from dragoman.lab.trial import parameter_count
from dragoman.plots.lab import Bars, Panel, PlotLine, by_place, draw_panels

SUMMARY, ATTENTION = NETWORKS
WAYS: dict[str, tuple[float, float | None]] = {
    TOLD: (1.0, None),
    OWN: (0.0, None),
    MIXED: (1.0, 0.0),
}
STEPS = {"quick": 150, "full": 500}


def trial_of(network: str, mode: str, seed: int, steps: int) -> ToyTrial:
    """Return the trial of one network that is trained in one way."""
    first, last = WAYS[mode]
    summary = network == SUMMARY
    return ToyTrial(
        name=arm(network, mode),
        seed=seed,
        language=KEPT if summary else SORTED,
        model=summarizing(64, 1, reverse=True) if summary else ATTENDING,
        rate=0.02 if summary else 0.01,
        steps=steps,
        teacher_forcing=first,
        teacher_forcing_end=last,
        readings=10,
    )


def measure(runner: TrialRunner, _: NoOptions) -> Result:
    """Train both networks in every way with each seed, and test them."""
    trials = [
        trial_of(network, mode, seed, STEPS[runner.size])
        for seed in runner.seeds
        for network in NETWORKS
        for mode in WAYS
    ]
    results = runner.run(trials, measure_trial)
    return Result(results, [decide(results)], tables(results))


def measure_trial(trial: ToyTrial, _: Path) -> Measurement:
    """Train one translator, and test it on its own and told the right words."""
    found = train_toy(trial)
    outputs = translate(found.model, found.tests)
    alone = translate(found.model, found.longest)
    return {
        "parameters": parameter_count(found.model),
        "accuracy": word_accuracy(outputs, found.tests),
        "exact": exact_share(outputs, found.tests),
        "told": 100 * forced_words(found.model, found.longest).double().mean().item(),
        "alone": word_accuracy(alone, found.longest),
        "read_at": found.steps,
        "losses": found.losses,
        "shares": found.shares,
    }


def tables(results: Results) -> list[ResultTable]:
    """Return what each translator gets right, on its own and told."""
    lines = [
        (
            name,
            spread_of(results, name, "accuracy").written(1),
            spread_of(results, name, "exact").written(1),
            spread_of(results, name, "told").written(1),
            spread_of(results, name, "alone").written(1),
            exposure(results, name).interval(1),
            f"{fmean(figures(results, name, 'seconds')):.0f}",
        )
        for name in names(results)
    ]
    return [
        ResultTable(
            "Right words and sentences, %",
            ("trained", "words", "sentences", "long, told", "long, alone", "bias", "seconds"),
            lines,
            "“Long” are the words of the longest sentences, with the right words told before each "
            "and without; the bias is their difference.",
        )
    ]


def draw(result: Result, path: Path) -> None:
    """Draw right sentences and losses against the steps, and the exposure bias."""
    results = result.measurements

    def panel(network: str, key: str, title: str) -> Panel:
        lines = [
            PlotLine(
                mode,
                select(results, arm(network, mode))[0]["read_at"],
                by_place([one[key] for one in select(results, arm(network, mode))]),
                color=number,
            )
            for number, mode in enumerate(WAYS)
        ]
        return Panel(f"{title}: {network}", lines, "step", lowest=0.0)

    found = names(results)
    bias = [
        [one - other for one, other in zip(figures(results, name, "told"), alone, strict=True)]
        for name in found
        for alone in [figures(results, name, "alone")]
    ]
    panels: list[Panel | Bars] = [
        panel(network, key, title)
        for network in NETWORKS
        for key, title in (("shares", "right sentences, %"), ("losses", "nats per word, told"))
    ]
    draw_panels([*panels, Bars("exposure bias, points", found, bias)], path, "Teacher forcing")


EXPERIMENT = Experiment(
    name="teacher-forcing",
    title="Training a decoder on the right words or on its own",
    hypotheses=(FORCING,),
    options=NoOptions,
    measure=measure,
    draw=draw,
    seeds=(1, 2, 3, 4, 5, 6, 7, 8),
)
