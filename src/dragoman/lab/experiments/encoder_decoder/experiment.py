"""Recurrent translators: do deep ones do better, or ones that read backwards? What is attended to?

All learn toy languages (see `data`), whose sentences are drawn anew for every batch, so that none
is learned by heart; the dictionary and the sentences are other ones for each seed, and no sentence
of the test is trained on.

* Depth: encoder-decoders of one, two and three LSTM layers that hand on their last states, on a
  language that keeps the order of words. All are 64 wide, so that deep ones have more parameters;
  a last one has three layers of half the width, with as many as the single layer.
* Reversal: the same with one layer, whose source is read from the end.
* Attention: the network of Bahdanau et al. on a language that sorts words. Its weights are compared
  with the gold alignment, and source words are taken away one at a time to see which output words
  change.

Each learning rate is the best of four or five (1 layer: 0.002 to 0.04) on validation sentences in a
pilot with seed 90. Steps are equal for all that are compared.
"""

from pathlib import Path
from statistics import fmean

from dragoman.config.cells import GruCell, LstmCell
from dragoman.config.recurrent import RecurrentSettings
from dragoman.lab.experiment import Experiment, NoOptions, Result, ResultTable
from dragoman.lab.experiments.encoder_decoder.attention_reading import (
    alignment_errors,
    needed_words,
)
from dragoman.lab.experiments.encoder_decoder.data import ToyLanguage
from dragoman.lab.experiments.encoder_decoder.training import (
    ToyTrial,
    exact_share,
    forced_words,
    train_toy,
    translate,
    word_accuracy,
)
from dragoman.lab.experiments.encoder_decoder.verdicts import (
    ATTENTION,
    CLAIMS,
    NARROW,
    ONE,
    REVERSED,
    THREE,
    TWO,
    decide,
    distance,
)
from dragoman.lab.results import Measurement, Results, figures, names, select, spread_of
from dragoman.lab.runner import TrialRunner
from dragoman.lab.spread import spread
from dragoman.lab.trial import parameter_count
from dragoman.plots.lab import Bars, Panel, PlotLine, by_place, draw_panels

KEPT, SORTED = ToyLanguage(order="kept", longest=12), ToyLanguage(order="sorted", longest=12)


def summarizing(width: int, layers: int, *, reverse: bool = False) -> RecurrentSettings:
    """Return an encoder-decoder that begins to write where it has read to (Sutskever et al.)."""
    return RecurrentSettings(
        cell=LstmCell(),
        width=width,
        embedding_width=32,
        encoder_layers=layers,
        decoder_layers=layers,
        bidirectional=False,
        context="first",
        reverse_source=reverse,
        readout="linear",
        tied="none",
        dropout=0.0,
    )


ATTENDING = RecurrentSettings(
    cell=GruCell(reset="before"),
    width=32,
    embedding_width=32,
    context="additive",
    readout="maxout",
    tied="none",
    dropout=0.0,
)
"""The network of Bahdanau et al. 2015, small."""

MODELS = {
    ONE: summarizing(64, 1),
    TWO: summarizing(64, 2),
    THREE: summarizing(64, 3),
    NARROW: summarizing(32, 3),
    REVERSED: summarizing(64, 1, reverse=True),
    ATTENTION: ATTENDING,
}
RATES = {ONE: 0.02, TWO: 0.02, THREE: 0.02, NARROW: 0.04, REVERSED: 0.02, ATTENTION: 0.01}
STEPS = {"quick": 200, "full": 600}
ATTENTION_STEPS = {"quick": 300, "full": 1000}


def measure(runner: TrialRunner, _: NoOptions) -> Result:
    """Train the translators with each seed, and test them."""
    trials = [
        ToyTrial(
            name=name,
            seed=seed,
            language=SORTED if name == ATTENTION else KEPT,
            model=model,
            rate=RATES[name],
            steps=(ATTENTION_STEPS if name == ATTENTION else STEPS)[runner.size],
        )
        for seed in runner.seeds
        for name, model in MODELS.items()
    ]
    results = runner.run(trials, measure_trial)
    return Result(results, decide(results), tables(results))


def measure_trial(trial: ToyTrial, _: Path) -> Measurement:
    """Train one translator and test it."""
    found = train_toy(trial)
    outputs = translate(found.model, found.tests)
    measured: Measurement = {
        "parameters": parameter_count(found.model),
        "accuracy": word_accuracy(outputs, found.tests),
        "exact": exact_share(outputs, found.tests),
        "by_place": (100 * forced_words(found.model, found.longest).double().mean(0)).tolist(),
        "read_at": found.steps,
        "losses": found.losses,
    }
    if trial.model.context == "additive":
        needed = needed_words(found.model, found.longest)
        measured.update(
            alignment_errors(found.model, found.tests),
            needed=needed.any,
            needed_aligned=needed.aligned,
        )
    return measured


def tables(results: Results) -> list[ResultTable]:
    """Return what each translator gets right, by place, and what attention looks at."""
    lines = [
        (
            name,
            f"{select(results, name)[0]['parameters']:,}",
            f"{select(results, name)[0]['rate']:g}",
            spread_of(results, name, "accuracy").written(1),
            spread_of(results, name, "exact").written(1),
            f"{fmean(figures(results, name, 'seconds')):.0f}",
        )
        for name in names(results)
    ]
    places = range(len(select(results, ONE)[0]["by_place"]))
    by_word = [
        (name, *(spread(values).written(0) for values in _by_place(results, name)))
        for name in (ONE, REVERSED)
    ]
    steps = [distance(place, len(places)) for place in places]
    by_word.append(("steps in between, reversed", *(str(near) for near, _ in steps)))
    attention = [
        (title, spread_of(results, ATTENTION, key).written(1))
        for title, key in (
            ("alignment error of attention", "alignment_error"),
            ("of the diagonal", "diagonal_error"),
            ("of a guess", "guess_error"),
            ("output words that one source word changes", "needed"),
            ("if it is their own", "needed_aligned"),
        )
    ]
    return [
        ResultTable(
            "Right words and sentences, %",
            ("translator", "parameters", "rate", "words", "sentences", "seconds"),
            lines,
            f"“{ATTENTION}” learns another language than the others, and for longer.",
        ),
        ResultTable(
            "Right words by place in the longest sentences, %, told the words before",
            ("translator", *(str(place + 1) for place in places)),
            by_word,
            f"Without reversal there are {len(places) + 1} steps between reading a word and "
            "writing it, wherever it stands.",
        ),
        ResultTable("Attention, %", ("figure", "value"), attention),
    ]


def _by_place(results: Results, name: str) -> list[list[float]]:
    return by_place([result["by_place"] for result in select(results, name)])


def draw(result: Result, path: Path) -> None:
    """Draw the losses, the words by place, and what attention looks at."""
    results = result.measurements
    compared = [ONE, TWO, THREE, NARROW, REVERSED]
    losses = [
        PlotLine(
            name,
            select(results, name)[0]["read_at"],
            by_place([one["losses"] for one in select(results, name)]),
            color=number,
        )
        for number, name in enumerate(compared)
    ]
    places = list(range(1, len(select(results, ONE)[0]["by_place"]) + 1))
    words = [
        PlotLine(name, places, _by_place(results, name), color=compared.index(name))
        for name in (ONE, REVERSED)
    ]
    errors = ("alignment_error", "diagonal_error", "guess_error")
    panels: list[Panel | Bars] = [
        Panel("nats per word on validation sentences", losses, "step", lowest=0.0),
        Panel("right words, %, told the words before", words, "place", lowest=0.0),
        Bars(
            "alignment error, %",
            ["attention", "diagonal", "guess"],
            [figures(results, ATTENTION, key) for key in errors],
        ),
        Bars(
            "output words changed without a source word, %",
            ["any", "its own"],
            [figures(results, ATTENTION, key) for key in ("needed", "needed_aligned")],
        ),
    ]
    draw_panels(panels, path, "Recurrent translators: depth, reversal, attention")


EXPERIMENT = Experiment(
    name="encoder-decoder",
    title="Recurrent translators: depth, a reversed source, and what attention learns",
    hypotheses=CLAIMS,
    options=NoOptions,
    measure=measure,
    draw=draw,
    seeds=(1, 2, 3, 4, 5, 6, 7, 8),
)
