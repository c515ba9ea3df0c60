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

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from dragoman.config.batches import BatchSettings
from dragoman.config.cells import GruCell, LstmCell, RnnCell
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
from dragoman.data.corpus.generators.lag import Lagged, draw_lagged
from dragoman.data.formats.labelled import LabelledText
from dragoman.lab.bench import Bench
from dragoman.lab.distance import at, curve, far, judge_fading, judge_gates, lost_at
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
from dragoman.lab.spread import spread
from dragoman.lab.training import plain_training, train_in
from dragoman.metrics.classification import majority
from dragoman.plots.lab import Panel, PlotLine, draw_panels
from dragoman.tasks.text_classification.classifier import Classifier
from dragoman.tasks.text_classification.evaluate import judge_classes

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

SHORT = Claim(("B1", "E99"), "a plain recurrent network has only a short memory.")
GATES = Claim(
    ("E100", "E104"), "gates let a network keep what it has read, as the GRU's memory cell does."
)


class MemoryTrial(Rated):
    """One model, one seed."""

    model: RecurrentClassifierSettings
    texts: LagSampling
    steps: int
    tokens: int = 2048
    """Slots of a batch: the same batches for every model."""
    seed: int

    def recipe(self, folder: Path) -> Recipe:
        """Return the recipe that trains this unit on the tables of a folder."""
        return Recipe(
            name="memory",
            seed=self.seed,
            task=ClassificationTaskSettings(),
            corpus=LabelledCorpus(
                train=(folder / "train.tsv",),
                valid=(folder / "valid.tsv",),
                test=(folder / "test.tsv",),
            ),
            tokenizer=WordTokenizerSettings(),
            batches=BatchSettings(max_tokens=self.tokens, max_length=1024),
            model=self.model,
            objective=ObjectiveSettings(label_smoothing=0.0),
            optimizer=AdamW(learning_rate=self.rate),
            schedule=Cosine(warmup_steps=self.steps // 20),
            training=plain_training(self.steps),
        )


def measure(bench: Bench, _: NoOptions) -> Result:
    """Train the networks with each seed, and test them lag by lag."""
    tuning = TUNING[bench.size]

    def unit(name: str, rate: float, steps: int, seed: int) -> MemoryTrial:
        texts, model = TEXTS[bench.size], MODELS[name]
        return MemoryTrial(name=name, model=model, rate=rate, texts=texts, steps=steps, seed=seed)

    rates = choose_rates(bench, unit, USUAL, tuning, train_unit)
    units = [
        unit(name, rates[name], STEPS[bench.size], seed) for seed in bench.seeds for name in MODELS
    ]
    units += [
        one.model_copy(update={"texts": one.texts.alone(lag), "steps": ALONE_STEPS[bench.size]})
        for one in units
        if one.name != SIGMOID
        for lag in ALONE[bench.size]
    ]
    rows = bench.measured(units, measure_unit, name=_told)
    together = [row for row in rows if not is_alone(row)]
    tables_ = [
        table(together, "Right classes, %, by lag", told_rates(together, tuning)),
        table(gathered(rows), "Right classes, %, learned from that lag alone", "Rates as above."),
    ]
    return Result(rows, judge(rows), tables_)


def _told(unit: MemoryTrial) -> str:
    lags = f"lag {unit.texts.lags[0]} alone, " if len(unit.texts.lags) == 1 else ""
    return f"{unit.name}, {lags}{unit.seed}"


def is_alone(row: Row) -> bool:
    """Say whether a row is of a network that learned from a single lag."""
    return len(row["texts"]["lags"]) == 1


def gathered(rows: Sequence[Row]) -> list[Row]:
    """Put the rows of single lags side by side: one for each network and seed, as of all lags."""
    found: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        if is_alone(row):
            found.setdefault((row["name"], row["seed"]), []).append(row)
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


def train_unit(unit: MemoryTrial, place: Path) -> Path:
    """Draw the texts of a unit and train its network; the test is not looked at."""
    draw_texts(unit.texts, unit.seed, place / "texts")
    return train_in(place, unit.recipe(place / "texts"))


def measure_unit(unit: MemoryTrial, place: Path) -> Row:
    """Train one network and test it with every lag."""
    asked = draw_texts(unit.texts, unit.seed, place / "texts")
    classifier = Classifier.load(train_in(place, unit.recipe(place / "texts")))
    parts = [judge_classes(classifier, part, "lag", {}) for part in asked]
    return {
        "parameters": sum(weight.numel() for weight in classifier.model.parameters()),
        "accuracies": [100 * part.accuracy for part in parts],
        "macro_f1": 100 * fmean(part.whole.macro_f1 for part in parts),
        "majority": fmean(_most_frequent(part) for part in asked),
    }


def draw_texts(texts: LagSampling, seed: int, folder: Path) -> list[list[LabelledText]]:
    """Draw the tables of a corpus into a folder; return the test by lag."""
    folder.mkdir(parents=True, exist_ok=True)
    valid, train = texts.tested, texts.tested + texts.valid
    drawn = [_drawn(texts, lag, seed) for lag in texts.lags]
    _write(folder / "test.tsv", [one for part in drawn for one in part[:valid]])
    _write(folder / "valid.tsv", [one for part in drawn for one in part[valid:train]])
    _write(folder / "train.tsv", [one for part in drawn for one in part[train:]])
    return [[LabelledText(one.text, one.label) for one in part[:valid]] for part in drawn]


def _drawn(texts: LagSampling, lag: int, seed: int) -> list[Lagged]:
    count = texts.tested + texts.valid + texts.trained(lag)
    return draw_lagged(
        count,
        lag,
        seed=seed,
        classes=texts.classes,
        noise=texts.noise,
        earlier=texts.earlier,
        distinct=True,
    )


def _write(path: Path, drawn: Sequence[Lagged]) -> None:
    write_atomic(path, "".join(f"{one.text}\t{one.label}\n" for one in drawn))


def _most_frequent(rows: Sequence[LabelledText]) -> float:
    """Return what naming the most frequent class alone would have, in per cent."""
    return 100 * majority([row.label for row in rows]).accuracy


def judge(rows: Sequence[Row]) -> list[ClaimVerdict]:
    """Say whether a plain network forgets, and whether gates help."""
    together = [row for row in rows if not is_alone(row)]
    sigmoid = (
        f"With a sigmoid in place of tanh: {spread(at(together, SIGMOID, 0)).written(1)} % and "
        f"{spread(far(together, SIGMOID)).written(1)} %."
    )
    short, gates = zip(_judged(together), _judged(gathered(rows)), strict=True)
    return [_both(*short, more=sigmoid), _both(*gates)]


def _judged(rows: Sequence[Row]) -> tuple[ClaimVerdict, ClaimVerdict]:
    texts = LagSampling.model_validate(rows[0]["texts"])
    return (
        judge_fading(SHORT, rows, RNN, texts.lags, texts.chance),
        judge_gates(GATES, rows, (RNN, (GRU, LSTM)), texts.lags, texts.chance),
    )


def _both(together: ClaimVerdict, alone: ClaimVerdict, more: str = "") -> ClaimVerdict:
    """Make one verdict of two: where they differ, the statement holds of one of two things."""
    verdict: Verdict = "corrected"
    if "undecided" in (together.verdict, alone.verdict):
        verdict = "undecided"
    elif together.verdict == alone.verdict:
        verdict = together.verdict
    because = f"Learned from all lags together ({together.verdict}): {together.because} {more}"
    apart = f"Learned from one lag alone ({alone.verdict}): {alone.because}"
    return replace(together, verdict=verdict, because=f"{because.rstrip()} {apart}")


def table(rows: Sequence[Row], title: str, rates: str) -> ResultTable:
    """Return the accuracy of each network by lag."""
    texts = LagSampling.model_validate(rows[0]["texts"])
    lines = [
        (
            name,
            f"{named(rows, name)[0]['parameters']:,}",
            *(spread(values).written(1) for values in curve(rows, name)),
            lost_at(rows, name, texts.lags, texts.chance),
            spread(figures(rows, name, "macro_f1")).written(1),
            f"{fmean(figures(rows, name, 'seconds')):.0f}",
        )
        for name in names(rows)
    ]
    most = f"{fmean(float(row['majority']) for row in rows):.1f}"
    guess = ("the most frequent class", "0", *[most] * len(texts.lags), "", "", "")
    return ResultTable(
        title,
        ("model", "parameters", *map(str, texts.lags), "half lost at", "macro-F1", "seconds"),
        [*lines, guess],
        f"{rates} Chance is {texts.chance:.1f} %; half lost is half way from the best to that. All "
        "parameters are trained.",
    )


def draw(result: Result, path: Path) -> None:
    """Draw the accuracy against the lag, learned together and alone."""
    together = [row for row in result.rows if not is_alone(row)]
    panels = [
        _panel("right classes, %: learned from all lags", together),
        _panel("learned from that lag alone", gathered(result.rows)),
    ]
    draw_panels(panels, path, "How long a network remembers")


def _panel(title: str, rows: Sequence[Row]) -> Panel:
    texts = LagSampling.model_validate(rows[0]["texts"])
    lines = [
        PlotLine(name, texts.lags, curve(rows, name), colour=list(MODELS).index(name))
        for name in names(rows)
    ]
    chance = [[texts.chance]] * len(texts.lags)
    lines.append(PlotLine("chance", texts.lags, chance, colour=len(MODELS), dashed=True))
    return Panel(title, lines, "lag", lowest=0.0, doubling=True)


SUBJECT = Subject(
    name="memory",
    title="How long a recurrent network remembers, with gates and without",
    statements=(SHORT, GATES),
    options=NoOptions,
    measure=measure,
    draw=draw,
)
