"""How long does a recurrent network remember, with gates and without?

    c b E d a b h …    a capital somewhere, noise around it, and `lag` letters of noise after it

The class of a text is its capital. Two things are asked. How long is kept what was learned from
near: networks learn from short lags together and are tested on unseen texts of these and of far
longer ones. And from how far can be learned at all: others learn from a single lag alone, and are
tested on that; there a gradient must come all the way, with no shorter lag to lead it.

All have equally many parameters, the same batches and as many steps. A plain network is wider than
one with gates; its matrix starts orthogonal and its gradients are clipped, as everywhere here, so
that it is a plain network at its best and not one that was set up to forget. The texts, too, are
drawn anew for each seed. Lags, steps and learning rates are set beforehand, from a pilot with the
seeds 90 to 93, so that accuracies lie between chance and 100 %.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from dragoman.config.cells import GruCell, LstmCell, RnnCell
from dragoman.config.recurrent_text import RecurrentClassifierSettings
from dragoman.config.settings import Settings
from dragoman.data.corpus.generators.lag import draw_lagged
from dragoman.data.formats.labeled import LabeledText
from dragoman.lab.classification import ClassificationTrial, write_tables
from dragoman.lab.distance import curve, decide_fading, decide_gates, far, lost_at
from dragoman.lab.experiment import Experiment, NoOptions, Result, ResultTable
from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis, Verdict
from dragoman.lab.power import Power
from dragoman.lab.rates import describe_rates
from dragoman.lab.results import Measurement, Results, figures, names, select, spread_of
from dragoman.lab.runner import TrialRunner
from dragoman.lab.spread import spread
from dragoman.lab.trial import parameter_count
from dragoman.metrics.classification import majority
from dragoman.plots.lab import Panel, PlotLine, draw_panels
from dragoman.tasks.text_classification.classifier import Classifier
from dragoman.tasks.text_classification.evaluate import score_classes
from dragoman.trials.trial import train_in

RNN, SIGMOID, GRU, LSTM = "RNN", "RNN with sigmoid", "GRU", "LSTM"


def _network(cell: RnnCell | GruCell | LstmCell, width: int) -> RecurrentClassifierSettings:
    return RecurrentClassifierSettings(
        cell=cell, embedding_width=16, width=width, bidirectional=False, dropout=0.0
    )


MODELS = {
    RNN: _network(RnnCell(), 63),
    SIGMOID: _network(RnnCell(activation="sigmoid"), 63),
    GRU: _network(GruCell(), 34),
    LSTM: _network(LstmCell(), 28),
}
"""Equal to 3 % in parameters. Of the plain ones that with tanh is judged, for it is the better."""

RATES = {RNN: 3e-3, SIGMOID: 3e-3, GRU: 1e-2, LSTM: 1e-2}
ALONE_RATES = {RNN: 1e-3, GRU: 1e-2, LSTM: 3e-3}
"""Learning rates: of three, those that validated best in the pilot, by what is learned from."""


class LagSampling(Settings):
    """What is drawn, for each lag."""

    lags: tuple[int, ...]
    """That are learned from, and tested."""
    beyond: tuple[int, ...] = ()
    """Longer ones that are only tested."""
    letters: int
    """To train on, about so many for each lag, so that each fills as many batches."""
    valid: int
    tested: int
    classes: int = 8
    noise: int = 8
    earlier: int = 8
    """Letters before the capital, at most."""

    @property
    def places(self) -> tuple[int, ...]:
        """All lags that are tested."""
        return self.lags + self.beyond

    @property
    def chance(self) -> float:
        """What a guess has, in per cent."""
        return 100 / self.classes

    def alone(self, lag: int) -> "LagSampling":
        """Return the same for a single lag, with nothing to generalize to."""
        return self.model_copy(update={"lags": (lag,), "beyond": ()})

    def trained(self, lag: int) -> int:
        """Return how many texts of a lag are trained on; each has two marks around it."""
        return self.letters // (self.earlier // 2 + 1 + lag + 2)


STEPS = {"quick": 400, "full": 600}
NAMES = {"quick": (RNN, GRU, LSTM), "full": tuple(MODELS)}
ALONE = {"quick": (8, 128), "full": (8, 32, 64, 128)}
"""Lags that are also learned from one at a time, by the plain network with tanh and the gated."""
ALONE_STEPS = 400
ALONE_SEEDS = {"quick": 3, "full": 6}
"""The first seeds do for it: from near to far all is lost."""
LEARNED, BEYOND = (1, 2, 4, 8), (16, 32, 64, 128)
TEXTS = {
    "quick": LagSampling(lags=LEARNED, beyond=BEYOND, letters=60_000, valid=50, tested=100),
    "full": LagSampling(lags=LEARNED, beyond=BEYOND, letters=60_000, valid=50, tested=200),
}

SHORT = ExperimentHypothesis(
    ("B1", "E99"),
    "a plain recurrent network has only a short memory.",
    power=Power(effect=15.0, deviation=10.0),
)
GATES = ExperimentHypothesis(
    ("E100", "E104"),
    "gates let a network keep what it has read, as the GRU's memory cell does.",
    power=Power(effect=10.0, deviation=10.0),
)
"""In points of accuracy. In the pilot the plain network lost 27, 30 and 16 points of what it had
learned, and a GRU kept 14, 24 and 10 more than it, an LSTM 8, 28 and 11."""


class MemoryTrial(ClassificationTrial):
    """One model, one seed."""

    run_name = "memory"
    max_length = 1024
    texts: LagSampling
    tokens: int = 2048

    @property
    def title(self) -> str:
        """The line that is printed when it begins."""
        lags = f"lag {self.texts.lags[0]} alone, " if len(self.texts.lags) == 1 else ""
        return f"{self.name}, {lags}seed {self.seed}"

    def draw(self, place: Path) -> list[list[LabeledText]]:
        """Draw the texts; return the test by lag."""
        return draw_texts(self.texts, self.seed, place / self.folder)


def measure(runner: TrialRunner, _: NoOptions) -> Result:
    """Train the networks with each seed, and test them lag by lag."""
    size, texts = runner.size, TEXTS[runner.size]

    def make(name: str, seed: int) -> MemoryTrial:
        model, rate = MODELS[name], RATES[name]
        return MemoryTrial(
            name=name, model=model, rate=rate, texts=texts, steps=STEPS[size], seed=seed
        )

    trials = [make(name, seed) for seed in runner.seeds for name in NAMES[size]]
    trials += [
        make(name, seed).model_copy(
            update={"texts": texts.alone(lag), "rate": rate, "steps": ALONE_STEPS}
        )
        for seed in runner.seeds[: ALONE_SEEDS[size]]
        for name, rate in ALONE_RATES.items()
        for lag in ALONE[size]
    ]
    results = runner.run(trials, measure_trial)
    together = [result for result in results if not is_alone(result)]
    tables_ = [
        table(together, f"Right classes, %, by lag, learned from {_listed(texts.lags)}"),
        table(gathered(results), "Right classes, %, learned from that lag alone"),
    ]
    return Result(results, decide(results), tables_)


def _listed(lags: Sequence[int]) -> str:
    return f"{', '.join(map(str, lags[:-1]))} and {lags[-1]}"


def is_alone(result: Measurement) -> bool:
    """Say whether a result is of a network that learned from a single lag."""
    return len(result["texts"]["lags"]) == 1


def gathered(results: Results) -> list[Measurement]:
    """Put the results of single lags side by side: one a network and seed, as of all lags."""
    found: dict[tuple[str, int], list[Measurement]] = {}
    for result in results:
        if is_alone(result):
            found.setdefault((result["name"], result["seed"]), []).append(result)
    return [
        {
            **parts[0],
            "texts": {**parts[0]["texts"], "lags": [one["texts"]["lags"][0] for one in parts]},
            "accuracies": [one["accuracies"][0] for one in parts],
            **{key: fmean(one[key] for one in parts) for key in ("macro_f1", "majority")},
            "seconds": sum(one["seconds"] for one in parts),
        }
        for parts in found.values()
    ]


def measure_trial(trial: MemoryTrial, place: Path) -> Measurement:
    """Train one network and test it with every lag."""
    tests = trial.draw(place)
    classifier = Classifier.load(train_in(place, trial.recipe(place)))
    parts = [score_classes(classifier, part, "lag", {}) for part in tests]
    return {
        "parameters": parameter_count(classifier.model),
        "accuracies": [100 * part.accuracy for part in parts],
        "macro_f1": 100 * fmean(part.whole.macro_f1 for part in parts),
        "majority": fmean(100 * majority([one.label for one in part]).accuracy for part in tests),
    }


def draw_texts(texts: LagSampling, seed: int, folder: Path) -> list[list[LabeledText]]:
    """Draw the tables of a corpus into a folder; return the test by lag."""
    valid, train = texts.tested, texts.tested + texts.valid
    drawn = [_drawn(texts, lag, seed, train + texts.trained(lag)) for lag in texts.lags]
    longer = [_drawn(texts, lag, seed, texts.tested) for lag in texts.beyond]
    cuts = {"test": slice(valid), "valid": slice(valid, train), "train": slice(train, None)}
    write_tables(
        folder, {name: [one for part in drawn for one in part[cut]] for name, cut in cuts.items()}
    )
    return [*(part[:valid] for part in drawn), *longer]


def _drawn(texts: LagSampling, lag: int, seed: int, count: int) -> list[LabeledText]:
    drawn = draw_lagged(
        count,
        lag,
        seed=seed,
        classes=texts.classes,
        noise=texts.noise,
        earlier=texts.earlier,
        distinct=True,
    )
    return [LabeledText(one.text, one.label) for one in drawn]


def decide(results: Results) -> list[ClaimVerdict]:
    """Say whether a plain network forgets, and whether gates keep what it loses.

    That a memory is short can mean two things, and the verdict is on both; that a gate keeps what
    was read, one.
    """
    kept, alone = [one for one in results if not is_alone(one)], gathered(results)
    gates = decide_gates(GATES, kept, (RNN, (GRU, LSTM)), *_test_of(kept))
    far_away = ", ".join(f"{name} {spread(far(alone, name)).written(1)} %" for name in names(alone))
    short = _both(
        decide_fading(SHORT, kept, RNN, *_test_of(kept)),
        decide_fading(SHORT, alone, RNN, *_test_of(alone)),
    )
    return [short, replace(gates, because=f"{gates.because} Learned from far alone: {far_away}.")]


def _test_of(results: Results) -> tuple[tuple[int, ...], float, int]:
    """Return the lags that were tested, what a guess has, and the texts of each lag."""
    texts = LagSampling.model_validate(results[0]["texts"])
    return texts.places, texts.chance, texts.tested


def _both(kept: ClaimVerdict, alone: ClaimVerdict) -> ClaimVerdict:
    """Make one verdict of two: where they differ, the claim holds of one of two things."""
    verdict: Verdict = "corrected"
    if "undecided" in (kept.verdict, alone.verdict):
        verdict = "undecided"
    elif kept.verdict == alone.verdict:
        verdict = kept.verdict
    near = f"Learned from short lags, tested on long ones ({kept.verdict}): {kept.because}"
    apart = f"Learned from one lag alone ({alone.verdict}): {alone.because}"
    return replace(kept, verdict=verdict, because=f"{near} {apart}")


def table(results: Results, title: str) -> ResultTable:
    """Return the accuracy of each network by lag."""
    texts = LagSampling.model_validate(results[0]["texts"])
    lines = [
        (
            name,
            f"{select(results, name)[0]['parameters']:,}",
            *(spread(values).written(1) for values in curve(results, name)),
            lost_at(results, name, texts.places, texts.chance),
            spread_of(results, name, "macro_f1").written(1),
            f"{fmean(figures(results, name, 'seconds')):.0f}",
        )
        for name in names(results)
    ]
    most = f"{fmean(float(result['majority']) for result in results):.1f}"
    guess = ("majority baseline", "0", *[most] * len(texts.places), "", "", "")
    return ResultTable(
        title,
        ("model", "parameters", *map(str, texts.places), "half lost at", "macro-F1", "seconds"),
        [*lines, guess],
        f"{describe_rates(results, 0)} Chance is {texts.chance:.1f} %; half lost is half way from "
        "the best to that. All parameters are trained.",
    )


def draw(result: Result, path: Path) -> None:
    """Draw the accuracy against the lag, learned from short ones and alone."""
    together = [row for row in result.measurements if not is_alone(row)]
    panels = [
        _panel("right classes, %: learned from short lags", together),
        _panel("learned from that lag alone", gathered(result.measurements)),
    ]
    draw_panels(panels, path, "How long a network remembers")


def _panel(title: str, results: Results) -> Panel:
    texts = LagSampling.model_validate(results[0]["texts"])
    lines = [
        PlotLine(name, texts.places, curve(results, name), color=list(MODELS).index(name))
        for name in names(results)
    ]
    chance = [[texts.chance]] * len(texts.places)
    lines.append(PlotLine("chance", texts.places, chance, color=len(MODELS), dashed=True))
    return Panel(title, lines, "lag", lowest=0.0, doubling=True)


EXPERIMENT = Experiment(
    name="memory",
    title="How long a recurrent network remembers, with gates and without",
    hypotheses=(SHORT, GATES),
    options=NoOptions,
    measure=measure,
    draw=draw,
    seeds=tuple(range(11, 21)),
    quick_seeds=tuple(range(11, 21)),
)
