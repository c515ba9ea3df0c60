"""Does a translator that sums a sentence up in one vector fail on long ones, and where?

Three models of equal size learn from the same sentences for the same number of tokens: a recurrent
one whose decoder begins with the encoder's last state, a recurrent one with attention, and a
Transformer. Then each is tested on unseen sentences of every length.
"""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from statistics import fmean, linear_regression

from dragoman.config.batches import BatchSettings
from dragoman.config.cells import LstmCell
from dragoman.config.corpus import FilesCorpus
from dragoman.config.model import ModelSettings, TransformerSettings
from dragoman.config.optimiser import AdamW
from dragoman.config.recipe import Recipe
from dragoman.config.recurrent import RecurrentSettings
from dragoman.config.schedule import Cosine
from dragoman.config.settings import Settings
from dragoman.config.tokenizer import BpeTokenizerSettings
from dragoman.config.training import DecodingSettings, ObjectiveSettings, TrainingSettings
from dragoman.lab.bench import Bench
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
from dragoman.lab.experiments.length.data import (
    EDGES,
    LengthCorpus,
    LengthSampling,
    draw_sentences,
    mean_words,
    read_test,
)
from dragoman.lab.rows import named
from dragoman.lab.spread import Spread, difference, spread
from dragoman.lab.training import train_in
from dragoman.metrics.by_length import by_length
from dragoman.plots.lab import Panel, PlotLine, draw_panels
from dragoman.tasks.translation.evaluate import judge as judge_translations
from dragoman.tasks.translation.translator import Translator

FIXED, ATTENTION, TRANSFORMER = "fixed context", "attention", "Transformer"
MODELS: dict[str, ModelSettings] = {
    FIXED: RecurrentSettings(
        cell=LstmCell(), width=256, embedding_width=128, context="first", tied="all", dropout=0.0
    ),
    ATTENTION: RecurrentSettings(
        cell=LstmCell(), width=208, embedding_width=128, context="additive", tied="all", dropout=0.0
    ),
    TRANSFORMER: TransformerSettings(
        width=128, heads=4, encoder_layers=4, decoder_layers=3, ffn_width=448, dropout=0.0
    ),
}
"""Equal to 5 % in parameters."""

VOCABULARY = 3000
"""Nearly whole words: with 1,200 shorter pieces the fixed context did not begin to learn."""
STEPS = {"quick": 600, "full": 4000}
SENTENCES = {
    "quick": LengthSampling(train=12_000, valid=100, drawn=2500, tested=40),
    "full": LengthSampling(train=60_000, valid=500, drawn=30_000, tested=200),
}

ABOUT_25 = ("21–25", "26–30")
LEAST = 10.0
"""BLEU that a model must reach in its best bucket before it can be said to fall."""

HALF = 0.5

STATEMENT = Claim(
    ("B31",), "an encoder-decoder cannot sum up sentences of more than about 25 words."
)


class LengthTrial(Settings):
    """One model, one seed."""

    name: str
    model: ModelSettings
    sentences: LengthSampling
    steps: int
    rate: float = 3e-3
    """The same for all; chosen for the fixed context, which is the last to begin."""
    tokens: int = 320
    """Slots of a batch: the same batches for every model."""
    seed: int

    def recipe(self, drawn: LengthCorpus) -> Recipe:
        """Return the recipe that trains this unit."""
        return Recipe(
            name="length",
            seed=self.seed,
            corpus=FilesCorpus(
                train=(drawn.train,), valid=(drawn.valid,), test=(drawn.test,), examine=False
            ),
            tokenizer=BpeTokenizerSettings(vocab_size=VOCABULARY),
            batches=BatchSettings(max_tokens=self.tokens),
            model=self.model,
            objective=ObjectiveSettings(label_smoothing=0.0),
            optimizer=AdamW(learning_rate=self.rate),
            schedule=Cosine(warmup_steps=self.steps // 20),
            training=TrainingSettings(
                steps=self.steps,
                validate_every=-(-self.steps // 4),
                checkpoint_every=-(-self.steps // 4),
                log_every=max(1, self.steps // 10),
                validation_sentences=self.sentences.valid // 2,
                best_metric="loss",
                keep=1,
            ),
            decoding=DecodingSettings(beam=1),
        )


def measure(bench: Bench, _: NoOptions) -> Result:
    """Train the three models with each seed, and score them length by length."""
    sentences = SENTENCES[bench.size]
    units = [
        LengthTrial(name=name, model=model, sentences=sentences, steps=STEPS[bench.size], seed=seed)
        for seed in bench.seeds
        for name, model in MODELS.items()
    ]
    drawn = draw_sentences(sentences, bench.folder / "sentences")
    rows = bench.measured(
        units, partial(measure_unit, drawn=drawn), name=lambda unit: f"{unit.name}, {unit.seed}"
    )
    return Result(rows, [judge(rows)], tables(rows))


def measure_unit(unit: LengthTrial, place: Path, *, drawn: LengthCorpus) -> Row:
    """Train one model and translate the test with it."""
    translator = Translator.load(train_in(place, unit.recipe(drawn)))
    pairs = read_test(drawn)
    judged = judge_translations(translator, pairs, "length", beam=1, metrics=("bleu", "chrf"))
    sources = [pair.source for pair in pairs]
    buckets = by_length(sources, judged.hypotheses, [judged.references], EDGES)
    return {
        "parameters": sum(weight.numel() for weight in translator.model.parameters()),
        "bleu": judged.scores["bleu"].value,
        "chrf": judged.scores["chrf"].value,
        "exact": judged.exact,
        "buckets": [
            {**asdict(row), "words": words}
            for row, words in zip(buckets, mean_words(sources), strict=True)
        ],
    }


def slopes(rows: Sequence[Row], model: str, figure: str = "bleu") -> list[float]:
    """Return what each further word of the source changes, in per cent of a model's best bucket.

    Seed by seed. Of its own best: a model that is poor at any length has little to lose, and would
    otherwise seem the steadiest.
    """
    found = []
    for row in named(rows, model):
        places = [float(bucket["words"]) for bucket in row["buckets"]]
        heights = [float(bucket[figure]) for bucket in row["buckets"]]
        best = max(*heights, 1e-9)
        found.append(100 * linear_regression(places, heights).slope / best)
    return found


def half_lost(rows: Sequence[Row], model: str) -> str | None:
    """Return the first bucket, after its best, where a model has lost half of its BLEU."""
    means = mean_buckets(rows, model)
    best = max(range(len(means)), key=lambda number: means[number][1])
    lost = (bucket for bucket, bleu in means[best:] if bleu < HALF * means[best][1])
    return next(lost, None)


def judge(rows: Sequence[Row]) -> ClaimVerdict:
    """Say whether a fixed context fails on long sentences, and about where."""
    steeper = difference(slopes(rows, FIXED), slopes(rows, ATTENTION))
    lost = half_lost(rows, FIXED)
    verdict: Verdict = "undecided"
    best = [max(bleu for _, bleu in mean_buckets(rows, one)) for one in (FIXED, ATTENTION)]
    if min(best) < LEAST:
        pass  # what has not been learned cannot be lost
    elif steeper.side_of(0.0) == "above":
        verdict = "refuted"
    elif steeper.side_of(0.0) == "below":
        verdict = "confirmed" if lost in ABOUT_25 else "corrected"
    where = f"has lost half of its BLEU at {lost} words" if lost else "never loses half its BLEU"
    gaps = [
        f"{mine - other:+.1f} at {bucket}"
        for (bucket, mine), (_, other) in zip(
            mean_buckets(rows, FIXED), mean_buckets(rows, ATTENTION), strict=True
        )
    ]
    return ClaimVerdict(
        STATEMENT,
        verdict,
        "Per cent of its best BLEU that each further word of the source changes: "
        f"{spread(slopes(rows, FIXED)).written(2)} with a fixed context, "
        f"{spread(slopes(rows, ATTENTION)).written(2)} with attention, "
        f"{spread(slopes(rows, TRANSFORMER)).written(2)} for a Transformer; the first minus the "
        f"second {steeper.interval(2)}. Fixed context minus attention: {', '.join(gaps)} words. "
        f"The fixed context {where}.",
    )


def tables(rows: Sequence[Row]) -> list[ResultTable]:
    """Return the scores by length, each metric in a table of its own."""
    return [
        ResultTable(
            f"{title} by words of the source",
            ("model", "parameters", *(bucket for bucket, _ in mean_buckets(rows, FIXED))),
            [
                (
                    model,
                    f"{named(rows, model)[0]['parameters']:,}",
                    *(found.written(1) for found in _buckets(rows, model, figure)),
                )
                for model in MODELS
            ],
        )
        for figure, title in (("bleu", "BLEU"), ("chrf", "chrF"), ("exact", "Exact sentences, %"))
    ]


def draw(result: Result, path: Path) -> None:
    """Draw the scores by length."""
    panels = [
        Panel(
            title,
            [
                PlotLine(
                    model,
                    [bucket["words"] for bucket in named(result.rows, model)[0]["buckets"]],
                    _by_bucket(result.rows, model, figure),
                    colour=number,
                )
                for number, model in enumerate(MODELS)
            ],
            "words of the source",
            lowest=0.0,
        )
        for figure, title in (("bleu", "BLEU"), ("exact", "exact sentences, %"))
    ]
    draw_panels(panels, path, "How quality falls with length")


def mean_buckets(rows: Sequence[Row], model: str, figure: str = "bleu") -> list[tuple[str, float]]:
    """Return each bucket of a model with its mean over seeds."""
    names = [str(bucket["bucket"]) for bucket in named(rows, model)[0]["buckets"]]
    means = [fmean(values) for values in _by_bucket(rows, model, figure)]
    return list(zip(names, means, strict=True))


def _buckets(rows: Sequence[Row], model: str, figure: str) -> list[Spread]:
    return [spread(values) for values in _by_bucket(rows, model, figure)]


def _by_bucket(rows: Sequence[Row], model: str, figure: str) -> list[list[float]]:
    """Return the figures of the seeds for each bucket."""
    each = [[float(one[figure]) for one in row["buckets"]] for row in named(rows, model)]
    return [list(values) for values in zip(*each, strict=True)]


SUBJECT = Subject(
    name="length",
    title="Long sentences: a fixed context, attention and a Transformer",
    statements=(STATEMENT,),
    options=NoOptions,
    measure=measure,
    draw=draw,
)
