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
one. No sentence of the test is trained on.
"""

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from dragoman.config.batches import BatchSettings
from dragoman.config.cells import GruCell, RnnCell
from dragoman.config.corpus import LabelledCorpus
from dragoman.config.optimiser import AdamW
from dragoman.config.recipe import Recipe
from dragoman.config.recurrent_text import RecurrentClassifierSettings
from dragoman.config.schedule import Cosine
from dragoman.config.settings import Settings
from dragoman.config.task import ClassificationTaskSettings
from dragoman.config.tokenizer import WordTokenizerSettings
from dragoman.config.training import ObjectiveSettings
from dragoman.core.files import write_atomic
from dragoman.data.corpus.generators.right_context import (
    MOST_ASIDES,
    PERSON,
    THING,
    Tagged,
    draw_tagged,
)
from dragoman.data.formats.labelled import LabelledText
from dragoman.lab.bench import Bench
from dragoman.lab.distance import SLIGHT, curve
from dragoman.lab.experiment import (
    Claim,
    ClaimVerdict,
    NoOptions,
    Result,
    ResultTable,
    Row,
    Subject,
    Verdict,
)
from dragoman.lab.rates import Rated, choose_rates, told_rates
from dragoman.lab.rows import figures, named, names
from dragoman.lab.spread import difference, spread
from dragoman.lab.training import plain_training, train_in
from dragoman.plots.lab import Panel, PlotLine, draw_panels
from dragoman.tasks.text_classification.classifier import Classifier
from dragoman.tasks.text_classification.evaluate import judge_classes

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

USUAL = 1e-2
"""Learning rate where none is looked for."""

STEPS = {"quick": 120, "full": 400}
TUNING = {"quick": 0, "full": 120}
"""Steps with each learning rate before one is chosen."""


class RightContextSampling(Settings):
    """How many sentences are drawn."""

    train: int
    valid: int
    tested: int
    """With each number of asides; without any there are only 600 in all."""


SENTENCES = {
    "quick": RightContextSampling(train=1000, valid=100, tested=60),
    "full": RightContextSampling(train=4000, valid=200, tested=200),
}

TEDDY = Claim(
    ("E109", "E110"),
    'a network must know what follows to tell the Teddy of "on sale" from that of "a great '
    'president", and one that reads both ways does.',
)


class RightContextTrial(Rated):
    """One model, one seed."""

    model: RecurrentClassifierSettings
    sentences: RightContextSampling
    steps: int
    tokens: int = 1024
    """Slots of a batch: the same batches for every model."""
    seed: int

    def recipe(self, folder: Path) -> Recipe:
        """Return the recipe that trains this unit on the tables of a folder."""
        return Recipe(
            name="right-context",
            seed=self.seed,
            task=ClassificationTaskSettings(),
            corpus=LabelledCorpus(
                train=(folder / "train.tsv",),
                valid=(folder / "valid.tsv",),
                test=(folder / "test.tsv",),
            ),
            tokenizer=WordTokenizerSettings(),
            batches=BatchSettings(max_tokens=self.tokens),
            model=self.model,
            objective=ObjectiveSettings(label_smoothing=0.0),
            optimizer=AdamW(learning_rate=self.rate),
            schedule=Cosine(warmup_steps=self.steps // 20),
            training=plain_training(self.steps),
        )


def measure(bench: Bench, _: NoOptions) -> Result:
    """Train the models with each seed, and ask for the tag of the first word."""
    tuning = TUNING[bench.size]

    def unit(name: str, rate: float, steps: int, seed: int) -> RightContextTrial:
        sentences, model = SENTENCES[bench.size], MODELS[name]
        return RightContextTrial(
            name=name, model=model, rate=rate, sentences=sentences, steps=steps, seed=seed
        )

    rates = choose_rates(bench, unit, dict.fromkeys(MODELS, USUAL), tuning, train_unit)
    units = [
        unit(name, rates[name], STEPS[bench.size], seed) for seed in bench.seeds for name in MODELS
    ]
    rows = bench.measured(units, measure_unit, name=lambda unit: f"{unit.name}, {unit.seed}")
    return Result(rows, [judge(rows)], [table(rows, told_rates(rows, tuning))])


def train_unit(unit: RightContextTrial, place: Path) -> Path:
    """Draw the sentences of a unit and train its network; the test is not looked at."""
    draw_sentences(unit.sentences, unit.seed, place / "sentences")
    return train_in(place, unit.recipe(place / "sentences"))


def measure_unit(unit: RightContextTrial, place: Path) -> Row:
    """Train one model, and test it with every number of asides."""
    asked = draw_sentences(unit.sentences, unit.seed, place / "sentences")
    classifier = Classifier.load(train_in(place, unit.recipe(place / "sentences")))
    parts = [judge_classes(classifier, part, "asides", {}) for part in asked]
    whole = judge_classes(classifier, [row for part in asked for row in part], "test", {})
    return {
        "parameters": sum(weight.numel() for weight in classifier.model.parameters()),
        "accuracies": [100 * part.accuracy for part in parts],
        "accuracy": 100 * whole.accuracy,
        "macro_f1": 100 * whole.whole.macro_f1,
        "majority": 100 * whole.baseline.accuracy,
    }


def draw_sentences(
    sentences: RightContextSampling, seed: int, folder: Path
) -> list[list[LabelledText]]:
    """Draw the tables of a corpus into a folder; return the test by the number of asides."""
    folder.mkdir(parents=True, exist_ok=True)
    half = sentences.tested // 2
    asked = [_even(draw_tagged(4 * half, seed=seed, asides=n), half) for n in ASIDES]
    known = {one.text for part in asked for one in part}
    wanted = sentences.train + sentences.valid
    mixed = draw_tagged(wanted + len(known), seed=seed)
    rest = [one for one in mixed if one.text not in known][:wanted]
    _write(folder / "train.tsv", rest[sentences.valid :])
    _write(folder / "valid.tsv", rest[: sentences.valid])
    _write(folder / "test.tsv", [one for part in asked for one in part])
    return [[LabelledText(one.text, one.tags[0]) for one in part] for part in asked]


def _even(drawn: Sequence[Tagged], half: int) -> list[Tagged]:
    """Take so many of each tag, so that naming one of them always has exactly 50 %."""
    persons = [one for one in drawn if one.tags[0] == PERSON]
    things = [one for one in drawn if one.tags[0] == THING]
    return [*persons[:half], *things[:half]]


def _write(path: Path, drawn: Sequence[Tagged]) -> None:
    write_atomic(path, "".join(f"{one.text}\t{one.tags[0]}\n" for one in drawn))


def judge(rows: Sequence[Row]) -> ClaimVerdict:
    """Say whether reading both ways helps at the word, and whether one way is mere guessing."""
    guess = fmean(figures(rows, names(rows)[0], "majority"))
    gains, alone, told = [], [], []
    for cell in (RNN, GRU):
        one, both, end = (figures(rows, f"{cell}, {how}", "accuracy") for how in (ONE, BOTH, END))
        gains.append(difference(both, one))
        alone.append(spread(one))
        told.append(
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
        f"{'; '.join(told)}.",
    )


def table(rows: Sequence[Row], rates: str) -> ResultTable:
    """Return the accuracy of each model, in all and by the number of asides."""
    lines = [
        (
            name,
            f"{named(rows, name)[0]['parameters']:,}",
            spread(figures(rows, name, "accuracy")).written(1),
            spread(figures(rows, name, "macro_f1")).written(1),
            *(spread(values).written(1) for values in curve(rows, name)),
            f"{fmean(figures(rows, name, 'seconds')):.0f}",
        )
        for name in names(rows)
    ]
    guess = spread(figures(rows, names(rows)[0], "majority")).written(1)
    return ResultTable(
        "Right tags of the first word, %, by asides between it and what decides",
        ("model", "parameters", "all", "macro-F1", *map(str, ASIDES), "seconds"),
        [*lines, ("one tag always", "0", guess, "", *[""] * len(ASIDES), "")],
        f"{rates} All parameters are trained.",
    )


def draw(result: Result, path: Path) -> None:
    """Draw the accuracy against the number of asides, one panel for each cell."""
    panels = [
        Panel(
            f"{cell}: right tags, %",
            [
                PlotLine(
                    how, ASIDES, curve(result.rows, f"{cell}, {how}"), colour, dashed=how == END
                )
                for colour, how in enumerate((ONE, BOTH, END))
            ],
            "asides between the word and what decides",
            lowest=0.0,
        )
        for cell in (RNN, GRU)
    ]
    draw_panels(panels, path, "Words that only what follows explains")


SUBJECT = Subject(
    name="right-context",
    title="Words that only what follows explains: reading one way and both",
    statements=(TEDDY,),
    options=NoOptions,
    measure=measure,
    draw=draw,
)
