"""How long does a recurrent network remember, with gates and without?

    c b E d a b h …    a capital somewhere, noise around it, and `lag` letters of noise after it

The class of a text is its capital. Networks learn from texts of all lags together and are then
tested on unseen texts of each. That is kind to a plain one: what it learns from short lags can help
it with long ones, where a gradient that must come all the way may never arrive. So others learn
from a single lag alone, and are tested on that. The first shows how long a network can remember,
the second from how far it can learn to.

All have equally many parameters, the same batches, as many steps, and each the learning rate that
suits it best on validation texts. A plain network is wider than one with gates; its matrix starts
orthogonal and its gradients are clipped, as everywhere here, so that it is a plain network at its
best and not one that was set up to forget. The texts, too, are drawn anew for each seed.
"""

from dataclasses import replace
from pathlib import Path
from statistics import fmean

from dragoman.config.cells import GruCell, LstmCell, RnnCell
from dragoman.config.recurrent_text import RecurrentClassifierSettings
from dragoman.config.settings import Settings
from dragoman.data.corpus.generators.lag import draw_lagged
from dragoman.data.formats.labeled import LabeledText
from dragoman.lab.classification import ClassificationTrial, write_tables
from dragoman.lab.distance import at, curve, decide_fading, decide_gates, far, lost_at
from dragoman.lab.experiment import Experiment, NoOptions, Result, ResultTable
from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis, Verdict
from dragoman.lab.rates import choose_rates, describe_rates, trials_by_seed
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

USUAL = {RNN: 3e-3, SIGMOID: 3e-3, GRU: 1e-2, LSTM: 1e-2}
"""Learning rates where none are looked for."""


class LagSampling(Settings):
    """What is drawn, for each lag."""

    lags: tuple[int, ...]
    letters: int
    """To train on, about so many for each lag, so that each fills as many batches."""
    valid: int
    tested: int
    classes: int = 8
    noise: int = 8
    earlier: int = 8
    """Letters before the capital, at most."""

    @property
    def chance(self) -> float:
        """What a guess has, in per cent."""
        return 100 / self.classes

    def alone(self, lag: int) -> "LagSampling":
        """Return the same for a single lag."""
        return self.model_copy(update={"lags": (lag,)})

    def trained(self, lag: int) -> int:
        """Return how many texts of a lag are trained on; each has two marks around it."""
        return self.letters // (self.earlier // 2 + 1 + lag + 2)


STEPS = {"quick": 300, "full": 1200}
ALONE = {"quick": (4, 64), "full": (4, 16, 64, 256)}
"""Lags that are also learned from one at a time, by the plain network with tanh and the gated."""
ALONE_STEPS = {"quick": 120, "full": 600}
TUNING = {"quick": 0, "full": 300}
"""Steps with each learning rate before one is chosen."""
TEXTS = {
    "quick": LagSampling(lags=(1, 4, 16, 64, 256), letters=60_000, valid=20, tested=100),
    "full": LagSampling(
        lags=(1, 2, 4, 8, 16, 32, 64, 128, 256, 512), letters=160_000, valid=50, tested=200
    ),
}

SHORT = ExperimentHypothesis(("B1", "E99"), "a plain recurrent network has only a short memory.")
GATES = ExperimentHypothesis(
    ("E100", "E104"), "gates let a network keep what it has read, as the GRU's memory cell does."
)


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
    tuning = TUNING[runner.size]

    def make(name: str, rate: float, steps: int, seed: int) -> MemoryTrial:
        texts, model = TEXTS[runner.size], MODELS[name]
        return MemoryTrial(name=name, model=model, rate=rate, texts=texts, steps=steps, seed=seed)

    rates = choose_rates(runner, make, USUAL, tuning)
    trials = trials_by_seed(runner, make, rates, STEPS[runner.size])
    trials += [
        one.model_copy(update={"texts": one.texts.alone(lag), "steps": ALONE_STEPS[runner.size]})
        for one in trials
        if one.name != SIGMOID
        for lag in ALONE[runner.size]
    ]
    results = runner.run(trials, measure_trial)
    together = [result for result in results if not is_alone(result)]
    tables_ = [
        table(together, "Right classes, %, by lag", describe_rates(together, tuning)),
        table(
            gathered(results), "Right classes, %, learned from that lag alone", "Rates as above."
        ),
    ]
    return Result(results, decide(results), tables_)


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
    drawn = [_drawn(texts, lag, seed) for lag in texts.lags]
    cuts = {"test": slice(valid), "valid": slice(valid, train), "train": slice(train, None)}
    write_tables(
        folder, {name: [one for part in drawn for one in part[cut]] for name, cut in cuts.items()}
    )
    return [part[:valid] for part in drawn]


def _drawn(texts: LagSampling, lag: int, seed: int) -> list[LabeledText]:
    drawn = draw_lagged(
        texts.tested + texts.valid + texts.trained(lag),
        lag,
        seed=seed,
        classes=texts.classes,
        noise=texts.noise,
        earlier=texts.earlier,
        distinct=True,
    )
    return [LabeledText(one.text, one.label) for one in drawn]


def decide(results: Results) -> list[ClaimVerdict]:
    """Say whether a plain network forgets, and whether gates help."""
    together = [result for result in results if not is_alone(result)]
    sigmoid = (
        f"With a sigmoid in place of tanh: {spread(at(together, SIGMOID, 0)).written(1)} % and "
        f"{spread(far(together, SIGMOID)).written(1)} %."
    )
    short, gates = zip(_judged(together), _judged(gathered(results)), strict=True)
    return [_both(*short, more=sigmoid), _both(*gates)]


def _judged(results: Results) -> tuple[ClaimVerdict, ClaimVerdict]:
    texts = LagSampling.model_validate(results[0]["texts"])
    return (
        decide_fading(SHORT, results, RNN, texts.lags, texts.chance),
        decide_gates(GATES, results, (RNN, (GRU, LSTM)), texts.lags, texts.chance),
    )


def _both(together: ClaimVerdict, alone: ClaimVerdict, more: str = "") -> ClaimVerdict:
    """Make one verdict of two: where they differ, the claim holds of one of two things."""
    verdict: Verdict = "corrected"
    if "undecided" in (together.verdict, alone.verdict):
        verdict = "undecided"
    elif together.verdict == alone.verdict:
        verdict = together.verdict
    because = f"Learned from all lags together ({together.verdict}): {together.because} {more}"
    apart = f"Learned from one lag alone ({alone.verdict}): {alone.because}"
    return replace(together, verdict=verdict, because=f"{because.rstrip()} {apart}")


def table(results: Results, title: str, rates: str) -> ResultTable:
    """Return the accuracy of each network by lag."""
    texts = LagSampling.model_validate(results[0]["texts"])
    lines = [
        (
            name,
            f"{select(results, name)[0]['parameters']:,}",
            *(spread(values).written(1) for values in curve(results, name)),
            lost_at(results, name, texts.lags, texts.chance),
            spread_of(results, name, "macro_f1").written(1),
            f"{fmean(figures(results, name, 'seconds')):.0f}",
        )
        for name in names(results)
    ]
    most = f"{fmean(float(result['majority']) for result in results):.1f}"
    guess = ("majority baseline", "0", *[most] * len(texts.lags), "", "", "")
    return ResultTable(
        title,
        ("model", "parameters", *map(str, texts.lags), "half lost at", "macro-F1", "seconds"),
        [*lines, guess],
        f"{rates} Chance is {texts.chance:.1f} %; half lost is half way from the best to that. All "
        "parameters are trained.",
    )


def draw(result: Result, path: Path) -> None:
    """Draw the accuracy against the lag, learned together and alone."""
    together = [row for row in result.measurements if not is_alone(row)]
    panels = [
        _panel("right classes, %: learned from all lags", together),
        _panel("learned from that lag alone", gathered(result.measurements)),
    ]
    draw_panels(panels, path, "How long a network remembers")


def _panel(title: str, results: Results) -> Panel:
    texts = LagSampling.model_validate(results[0]["texts"])
    lines = [
        PlotLine(name, texts.lags, curve(results, name), color=list(MODELS).index(name))
        for name in names(results)
    ]
    chance = [[texts.chance]] * len(texts.lags)
    lines.append(PlotLine("chance", texts.lags, chance, color=len(MODELS), dashed=True))
    return Panel(title, lines, "lag", lowest=0.0, doubling=True)


EXPERIMENT = Experiment(
    name="memory",
    title="How long a recurrent network remembers, with gates and without",
    hypotheses=(SHORT, GATES),
    options=NoOptions,
    measure=measure,
    draw=draw,
)
