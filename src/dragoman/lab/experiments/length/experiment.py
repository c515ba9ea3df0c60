"""Does a translator that sums a sentence up in one vector fail on long ones, and where?

Three models of equal size learn from the same sentences for the same number of tokens: a recurrent
one whose decoder begins with the encoder's last state, a recurrent one with attention, and a
Transformer. Then each is tested on unseen sentences of every length.
"""

from dataclasses import asdict
from functools import partial
from pathlib import Path
from statistics import fmean, linear_regression

from dragoman.config.batches import BatchSettings
from dragoman.config.cells import LstmCell
from dragoman.config.corpus import FilesCorpus
from dragoman.config.model import ModelSettings, TransformerSettings
from dragoman.config.recipe import Recipe
from dragoman.config.recurrent import RecurrentSettings
from dragoman.config.task import TranslationTaskSettings
from dragoman.config.tokenizer import BpeTokenizerSettings
from dragoman.config.training import DecodingSettings
from dragoman.lab.experiment import Experiment, NoOptions, Result, ResultTable
from dragoman.lab.experiments.length.data import (
    EDGES,
    LengthCorpus,
    LengthSampling,
    draw_sentences,
    mean_words,
    read_test,
)
from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis, Verdict
from dragoman.lab.power import Power
from dragoman.lab.results import Measurement, Results, select
from dragoman.lab.runner import TrialRunner
from dragoman.lab.spread import Spread, difference, spread
from dragoman.lab.trial import TrainingTrial, parameter_count, trial_training
from dragoman.metrics.by_length import by_length
from dragoman.plots.lab import Panel, PlotLine, draw_panels
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.evaluate import score_translations
from dragoman.trials.trial import train_in

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

CLAIM = ExperimentHypothesis(
    ("B31",),
    "an encoder-decoder cannot sum up sentences of more than about 25 words.",
    power=Power(effect=1.0, deviation=0.11),
)
SUMMARY = ExperimentHypothesis(
    ("E113",),
    "a fixed summary is inefficient for long sentences, and a context for each step mends that.",
    power=Power(effect=1.0, deviation=0.11),
)
"""In per cent of the best BLEU that a further word costs; the deviation is that of the published
run."""


class LengthTrial(TrainingTrial):
    """One model, one seed."""

    model: ModelSettings
    sentences: LengthSampling
    rate: float = 3e-3
    """The same for all; chosen for the fixed context, which is the last to begin."""
    tokens: int = 320
    """Padded tokens of a batch: the same batches for every model."""

    def recipe(self, drawn: LengthCorpus) -> Recipe:
        """Return the recipe that trains it."""
        training = trial_training(self.steps, checkpoints=4, threads=0)
        sentences = {"validation_sentences": self.sentences.valid // 2}
        recipe = self.recipe_of(
            "length",
            TranslationTaskSettings(),
            FilesCorpus(
                train=(drawn.train,), valid=(drawn.valid,), test=(drawn.test,), examine=False
            ),
            self.model,
            tokenizer=BpeTokenizerSettings(vocab_size=VOCABULARY),
            batches=BatchSettings(max_tokens=self.tokens),
            training=training.model_copy(update=sentences),
        )
        return recipe.model_copy(update={"decoding": DecodingSettings(beam=1)})


def measure(runner: TrialRunner, _: NoOptions) -> Result:
    """Train the three models with each seed, and score them length by length."""
    sentences = SENTENCES[runner.size]
    trials = [
        LengthTrial(
            name=name, model=model, sentences=sentences, steps=STEPS[runner.size], seed=seed
        )
        for seed in runner.seeds
        for name, model in MODELS.items()
    ]
    drawn = draw_sentences(sentences, runner.folder / "sentences")
    results = runner.run(trials, partial(measure_trial, drawn=drawn))
    return Result(results, [decide(results), decide_summary(results)], tables(results))


def measure_trial(trial: LengthTrial, place: Path, *, drawn: LengthCorpus) -> Measurement:
    """Train one model and translate the test with it."""
    translator = BareTranslator.load(train_in(place, trial.recipe(drawn)))
    pairs = read_test(drawn)
    judged = score_translations(translator, pairs, "length", beam=1, metrics=("bleu", "chrf"))
    sources = [pair.source for pair in pairs]
    buckets = by_length(sources, judged.hypotheses, [judged.references], EDGES)
    return {
        "parameters": parameter_count(translator.model),
        "bleu": judged.scores["bleu"].value,
        "chrf": judged.scores["chrf"].value,
        "exact": judged.exact,
        "buckets": [
            {**asdict(row), "words": words}
            for row, words in zip(buckets, mean_words(sources), strict=True)
        ],
    }


def slopes(results: Results, model: str, figure: str = "bleu") -> list[float]:
    """Return what each further word of the source changes, in per cent of a model's best bucket.

    Seed by seed. Of its own best: a model that is poor at any length has little to lose, and would
    otherwise seem the steadiest.
    """
    found = []
    for result in select(results, model):
        places = [float(bucket["words"]) for bucket in result["buckets"]]
        heights = [float(bucket[figure]) for bucket in result["buckets"]]
        best = max(*heights, 1e-9)
        found.append(100 * linear_regression(places, heights).slope / best)
    return found


def half_lost(results: Results, model: str) -> str | None:
    """Return the first bucket, after its best, where a model has lost half of its BLEU."""
    means = mean_buckets(results, model)
    best = max(range(len(means)), key=lambda number: means[number][1])
    lost = (bucket for bucket, bleu in means[best:] if bleu < HALF * means[best][1])
    return next(lost, None)


def decide(results: Results) -> ClaimVerdict:
    """Say whether a fixed context fails on long sentences, and about where."""
    steeper = difference(slopes(results, FIXED), slopes(results, ATTENTION))
    lost = half_lost(results, FIXED)
    verdict: Verdict = "undecided"
    best = [max(bleu for _, bleu in mean_buckets(results, one)) for one in (FIXED, ATTENTION)]
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
            mean_buckets(results, FIXED), mean_buckets(results, ATTENTION), strict=True
        )
    ]
    return ClaimVerdict(
        CLAIM,
        verdict,
        "Per cent of its best BLEU that each further word of the source changes: "
        f"{spread(slopes(results, FIXED)).written(2)} with a fixed context, "
        f"{spread(slopes(results, ATTENTION)).written(2)} with attention, "
        f"{spread(slopes(results, TRANSFORMER)).written(2)} for a Transformer; the first minus the "
        f"second {steeper.interval(2)}. Fixed context minus attention: {', '.join(gaps)} words. "
        f"The fixed context {where}.",
    )


def decide_summary(results: Results) -> ClaimVerdict:
    """Say whether a fixed context loses more with every further word than attention does."""
    steeper = difference(slopes(results, FIXED), slopes(results, ATTENTION))
    best = [max(bleu for _, bleu in mean_buckets(results, one)) for one in (FIXED, ATTENTION)]
    verdict: Verdict = "undecided"
    if min(best) >= LEAST:
        sides: dict[str, Verdict] = {"below": "confirmed", "above": "refuted"}
        verdict = sides.get(steeper.side_of(0.0), "undecided")
    return ClaimVerdict(
        SUMMARY,
        verdict,
        "Per cent of its best BLEU that each further word of the source changes, with a fixed "
        f"context minus with attention: {steeper.interval(2)}.",
    )


def tables(results: Results) -> list[ResultTable]:
    """Return the scores by length, each metric in a table of its own."""
    return [
        ResultTable(
            f"{title} by words of the source",
            ("model", "parameters", *(bucket for bucket, _ in mean_buckets(results, FIXED))),
            [
                (
                    model,
                    f"{select(results, model)[0]['parameters']:,}",
                    *(found.written(1) for found in _buckets(results, model, figure)),
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
                    [
                        bucket["words"]
                        for bucket in select(result.measurements, model)[0]["buckets"]
                    ],
                    _by_bucket(result.measurements, model, figure),
                    color=number,
                )
                for number, model in enumerate(MODELS)
            ],
            "words of the source",
            lowest=0.0,
        )
        for figure, title in (("bleu", "BLEU"), ("exact", "exact sentences, %"))
    ]
    draw_panels(panels, path, "How quality falls with length")


def mean_buckets(results: Results, model: str, figure: str = "bleu") -> list[tuple[str, float]]:
    """Return each bucket of a model with its mean over seeds."""
    names = [str(bucket["bucket"]) for bucket in select(results, model)[0]["buckets"]]
    means = [fmean(values) for values in _by_bucket(results, model, figure)]
    return list(zip(names, means, strict=True))


def _buckets(results: Results, model: str, figure: str) -> list[Spread]:
    return [spread(values) for values in _by_bucket(results, model, figure)]


def _by_bucket(results: Results, model: str, figure: str) -> list[list[float]]:
    """Return the figures of the seeds for each bucket."""
    each = [[float(one[figure]) for one in result["buckets"]] for result in select(results, model)]
    return [list(values) for values in zip(*each, strict=True)]


EXPERIMENT = Experiment(
    name="length",
    title="Long sentences: a fixed context, attention and a Transformer",
    hypotheses=(CLAIM, SUMMARY),
    options=NoOptions,
    measure=measure,
    draw=draw,
)
