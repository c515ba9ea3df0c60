"""Is a word that only what follows it explains understood by a network that reads both ways?

    Teddy , they say , is on sale .              Teddy is a thing
    Teddy , they say , is a great president .    Teddy is a person

The tag of the first word is asked for, and a network answers from its states at that word, as a
tagger does. Reading one way it has then seen nothing but the word, and names say nothing here; so
it can only guess, however good it is. That alone would be no experiment, but its outcome is
computed all the same, and a third arm makes the comparison honest: the very network that reads one
way, asked after the last word. If it can answer there, it lacks neither size nor training, and what
it lacked at the word is what follows.

All have equally many parameters: who reads both ways has two narrow networks in place of a wide
one. No sentence of the test is trained on. The rates are those that validation sentences had chosen
for an earlier run, with a seed of their own.
"""

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from dragoman.config.cells import GruCell, RnnCell
from dragoman.config.recurrent_text import RecurrentClassifierSettings
from dragoman.config.settings import Settings
from dragoman.data.corpus.generators.right_context import (
    MOST_ASIDES,
    PERSON,
    THING,
    Tagged,
    draw_tagged,
)
from dragoman.data.formats.labeled import LabeledText
from dragoman.lab.classification import ClassificationTrial, write_tables
from dragoman.lab.distance import SLIGHT, curve
from dragoman.lab.experiment import Experiment, NoOptions, Result, ResultTable
from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis, Verdict
from dragoman.lab.power import Power
from dragoman.lab.rates import describe_rates, trials_by_seed
from dragoman.lab.results import Measurement, Results, figures, names, select, spread_of
from dragoman.lab.runner import TrialRunner
from dragoman.lab.spread import difference, spread
from dragoman.lab.trial import parameter_count
from dragoman.plots.lab import Panel, PlotLine, draw_panels
from dragoman.tasks.text_classification.classifier import Classifier
from dragoman.tasks.text_classification.evaluate import score_classes
from dragoman.trials.trial import train_in

RNN, GRU = "RNN", "GRU"
ONE, BOTH, END = "one way, at the word", "both ways, at the word", "one way, at the end"
ASIDES = tuple(range(MOST_ASIDES + 1))


def _models() -> dict[str, RecurrentClassifierSettings]:
    found = {}
    for name, cell, wide, narrow in ((RNN, RnnCell(), 70, 47), (GRU, GruCell(), 37, 24)):
        alone = RecurrentClassifierSettings(
            cell=cell, embedding_width=16, width=wide, bidirectional=False, dropout=0.0
        )
        first = {"pooling": "first"}
        found[f"{name}, {ONE}"] = alone.model_copy(update=first)
        found[f"{name}, {BOTH}"] = alone.model_copy(
            update={**first, "width": narrow, "bidirectional": True}
        )
        found[f"{name}, {END}"] = alone
    return found


MODELS = _models()
"""Equal to 3 % in parameters."""

RATES = {name: 3e-3 if name == f"{RNN}, {BOTH}" else 1e-2 for name in MODELS}
STEPS = {"quick": 120, "full": 400}


class RightContextSampling(Settings):
    """How many sentences are drawn."""

    train: int
    valid: int
    tested: int
    """With each number of asides; without any there are only 600 in all."""


SENTENCES = {
    "quick": RightContextSampling(train=1000, valid=100, tested=100),
    "full": RightContextSampling(train=4000, valid=200, tested=200),
}

TEDDY = ExperimentHypothesis(
    ("E109", "E110"),
    'a network must know what follows to tell the Teddy of "on sale" from that of "a great '
    'president", and one that reads both ways does.',
    power=Power(effect=SLIGHT, deviation=2.5),
)
"""In points of accuracy. That reading one way is guessing is the hardest to see: it must lie surely
less than `SLIGHT` above the baseline. Over 1,000 sentences a guess deviates by 1.6 points, over the
500 of `--quick` by 2.2."""


class RightContextTrial(ClassificationTrial):
    """One model, one seed."""

    run_name = "right-context"
    folder = "sentences"
    sentences: RightContextSampling
    tokens: int = 1024

    def draw(self, place: Path) -> list[list[LabeledText]]:
        """Draw the sentences; return the test by the number of asides."""
        return draw_sentences(self.sentences, self.seed, place / self.folder)


def measure(runner: TrialRunner, _: NoOptions) -> Result:
    """Train the models with each seed, and ask for the tag of the first word."""

    def make(name: str, rate: float, steps: int, seed: int) -> RightContextTrial:
        sentences, model = SENTENCES[runner.size], MODELS[name]
        return RightContextTrial(
            name=name, model=model, rate=rate, sentences=sentences, steps=steps, seed=seed
        )

    trials = trials_by_seed(runner, make, RATES, STEPS[runner.size])
    results = runner.run(trials, measure_trial)
    return Result(results, [decide(results)], [table(results)])


def measure_trial(trial: RightContextTrial, place: Path) -> Measurement:
    """Train one model, and test it with every number of asides."""
    tests = trial.draw(place)
    classifier = Classifier.load(train_in(place, trial.recipe(place)))
    parts = [score_classes(classifier, part, "asides", {}) for part in tests]
    whole = score_classes(classifier, [row for part in tests for row in part], "test", {})
    return {
        "parameters": parameter_count(classifier.model),
        "accuracies": [100 * part.accuracy for part in parts],
        "accuracy": 100 * whole.accuracy,
        "macro_f1": 100 * whole.whole.macro_f1,
        "majority": 100 * whole.baseline.accuracy,
    }


def draw_sentences(
    sentences: RightContextSampling, seed: int, folder: Path
) -> list[list[LabeledText]]:
    """Draw the tables of a corpus into a folder; return the test by the number of asides."""
    half = sentences.tested // 2
    tests = [_even(draw_tagged(4 * half, seed=seed, asides=n), half) for n in ASIDES]
    known = {one.text for part in tests for one in part}
    wanted = sentences.train + sentences.valid
    mixed = _labeled(draw_tagged(wanted + len(known), seed=seed))
    rest = [one for one in mixed if one.text not in known][:wanted]
    valid, train = rest[: sentences.valid], rest[sentences.valid :]
    test = [one for part in tests for one in part]
    write_tables(folder, {"train": train, "valid": valid, "test": test})
    return tests


def _labeled(drawn: Sequence[Tagged]) -> list[LabeledText]:
    return [LabeledText(one.text, one.tags[0]) for one in drawn]


def _even(drawn: Sequence[Tagged], half: int) -> list[LabeledText]:
    """Take so many of each tag, so that naming one of them always has exactly 50 %."""
    texts = _labeled(drawn)
    return [one for tag in (PERSON, THING) for one in [x for x in texts if x.label == tag][:half]]


def decide(results: Results) -> ClaimVerdict:
    """Say whether reading both ways helps at the word, and whether one way is mere guessing."""
    guess = fmean(figures(results, names(results)[0], "majority"))
    item = 100 / (len(ASIDES) * int(results[0]["sentences"]["tested"]))
    gains, alone, details = [], [], []
    for cell in (RNN, GRU):
        one, both, end = (
            figures(results, f"{cell}, {how}", "accuracy") for how in (ONE, BOTH, END)
        )
        gains.append(difference(both, one, item))
        alone.append(spread(one, item))
        details.append(
            f"{cell} {spread(one).written(1)} % reading one way and {spread(both).written(1)} % "
            f"both ways, a gain of {gains[-1].interval(1)}; one way, but asked after the last "
            f"word, {spread(end).written(1)} %"
        )
    verdict: Verdict = "undecided"
    if all(gain.side_of(0.0) == "above" for gain in gains):
        guessing = [one.side_of(guess + SLIGHT) for one in alone]
        if all(side == "below" for side in guessing):
            verdict = "confirmed"
        elif any(side == "above" for side in guessing):
            verdict = "corrected"
    elif all(gain.side_of(SLIGHT) == "below" for gain in gains):
        verdict = "refuted"
    return ClaimVerdict(
        TEDDY,
        verdict,
        f"Right tags at the word, where naming one tag always has {guess:.1f} %: "
        f"{'; '.join(details)}.",
    )


def table(results: Results) -> ResultTable:
    """Return the accuracy of each model, in all and by the number of asides."""
    lines = [
        (
            name,
            f"{select(results, name)[0]['parameters']:,}",
            spread_of(results, name, "accuracy").written(1),
            spread_of(results, name, "macro_f1").written(1),
            *(spread(values).written(1) for values in curve(results, name)),
            f"{fmean(figures(results, name, 'seconds')):.0f}",
        )
        for name in names(results)
    ]
    guess = spread_of(results, names(results)[0], "majority").written(1)
    return ResultTable(
        "Right tags of the first word, %, by asides between it and what decides",
        ("model", "parameters", "all", "macro-F1", *map(str, ASIDES), "seconds"),
        [*lines, ("one tag always", "0", guess, "", *[""] * len(ASIDES), "")],
        f"{describe_rates(results, 0)} All parameters are trained.",
    )


def draw(result: Result, path: Path) -> None:
    """Draw the accuracy against the number of asides, one panel for each cell."""
    panels = [
        Panel(
            f"{cell}: right tags, %",
            [
                PlotLine(
                    how,
                    ASIDES,
                    curve(result.measurements, f"{cell}, {how}"),
                    color,
                    dashed=how == END,
                )
                for color, how in enumerate((ONE, BOTH, END))
            ],
            "asides between the word and what decides",
            lowest=0.0,
        )
        for cell in (RNN, GRU)
    ]
    draw_panels(panels, path, "Words that only what follows explains")


EXPERIMENT = Experiment(
    name="right-context",
    title="Words that only what follows explains: reading one way and both",
    hypotheses=(TEDDY,),
    options=NoOptions,
    measure=measure,
    draw=draw,
    seeds=tuple(range(11, 17)),
    quick_seeds=tuple(range(11, 16)),
)
