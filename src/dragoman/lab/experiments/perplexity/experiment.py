"""At equal training time, which language model is the least surprised by unseen articles?

A GPT and an LSTM train for the same seconds on one thread; an n-gram with Kneser–Ney smoothing only
counts, and takes what it takes. All read the same byte-pair pieces of the same articles; beside
them stands the n-gram over words of the literature, for which rare words are one unknown word.

How fast each network is here is measured first, and the seconds become steps. Two sizes of each
network train for the whole time with the first seed, and the one that validated best goes on to the
others; the n-gram's order is chosen on the same validation articles.
"""

import math
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import fmean, median

from dragoman.config.batches import BatchSettings
from dragoman.config.cells import LstmCell
from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.recipe import Recipe
from dragoman.config.recurrent_text import RecurrentLanguageSettings
from dragoman.config.settings import Settings
from dragoman.config.task import LanguageTaskSettings
from dragoman.config.tokenizer import BpeTokenizerSettings
from dragoman.config.training import ObjectiveSettings
from dragoman.data.tokenizer.train import train_tokenizer
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.lab.baselines.kneser_ney import KneserNey
from dragoman.lab.budget import steps_in_time
from dragoman.lab.experiment import Experiment, Result, ResultTable, Size
from dragoman.lab.experiments.perplexity.data import (
    Articles,
    Numbered,
    Slice,
    cut_articles,
    find_articles,
    number_pieces,
    number_words,
    read_articles,
)
from dragoman.lab.experiments.perplexity.verdicts import CLAIM, GPT, LSTM, PIECES, WORDS, decide
from dragoman.lab.results import Measurement, Results, figures, names, select, spread_of
from dragoman.lab.runner import TrialRunner
from dragoman.lab.trial import ModelTrial, TrainingTrial, parameter_count, trial_training
from dragoman.plots.lab import Bars, draw_panels
from dragoman.tasks.language_model.evaluate import score_documents
from dragoman.tasks.language_model.language_model import LanguageModel
from dragoman.trials.trial import train_in

Network = DecoderOnlySettings | RecurrentLanguageSettings


def gpt(width: int, layers: int) -> DecoderOnlySettings:
    """Return a GPT of a size."""
    return DecoderOnlySettings(
        width=width,
        ffn_width=4 * width,
        heads=4,
        layers=layers,
        positions="rotary",
        activation="gelu",
        dropout=0.0,
    )


def lstm(width: int) -> RecurrentLanguageSettings:
    """Return an LSTM of a size."""
    return RecurrentLanguageSettings(
        cell=LstmCell(), embedding_width=width, width=width, dropout=0.0
    )


SIZES: dict[str, dict[Size, tuple[Network, ...]]] = {
    GPT: {"quick": (gpt(96, 2),), "full": (gpt(128, 3), gpt(192, 4))},
    LSTM: {"quick": (lstm(128),), "full": (lstm(192), lstm(320))},
}
SECONDS: dict[Size, float] = {"quick": 12.0, "full": 200.0}
SLICES: dict[Size, Slice] = {"quick": Slice(train=60, valid=2, test=6), "full": Slice(valid=15)}
PACED = {"quick": 20, "full": 60}
"""Steps by which the speed of a network is measured; the first quarter does not count."""

ORDERS = (2, 3, 4, 5, 6)
RARE = 3
"""Words seen less often are unknown, as in WikiText."""

NOTE = (
    "± is the deviation over seeds. A word's perplexity divides the surprise of all pieces by the "
    "words and line ends; that of the n-gram over words cannot be compared, for {unknown:.1%} of "
    "its test is one easy unknown word. Networks see at most {longest} pieces at once. Seconds of "
    "the networks are those of their steps, on one thread; those of the n-grams are for reading, "
    "cutting and counting with the order that validated best. Learning the pieces is left out for "
    "all. Steps come from a speed that was measured before, so use a quiet machine."
)


class PerplexityOptions(Settings):
    """The options of this subject."""

    texts: Path | None = None
    """Your own folder with train.txt, valid.txt and test.txt, articles parted by empty lines."""
    seconds: float | None = None
    """Training time of each network."""


class PerplexityTrial(TrainingTrial):
    """One network of a size, trained with one seed."""

    model: Network
    articles: str
    """Checksum of the files."""
    paced: bool = False
    """Whether only its speed is asked for."""
    rate: float = 2e-3
    vocabulary: int = 4000
    tokens: int = 1024
    longest: int = 128

    @property
    def title(self) -> str:
        """The line that is printed when it begins."""
        what = "speed" if self.paced else f"{self.steps:,} steps, seed {self.seed}"
        return f"{self.name}, width {self.model.width}: {what}"

    @property
    def line(self) -> int:
        """Steps between two lines of the log; no step is left without one."""
        return next(n for n in range(max(1, self.steps // 20), 0, -1) if self.steps % n == 0)

    def recipe(self, articles: Articles) -> Recipe:
        """Return the recipe that trains it."""
        training = trial_training(self.steps, validations=1, checkpoints=4)
        recipe = self.recipe_of(
            "perplexity",
            LanguageTaskSettings(),
            articles.corpus,
            self.model,
            tokenizer=BpeTokenizerSettings(vocab_size=self.vocabulary),
            batches=BatchSettings(max_tokens=self.tokens, max_length=self.longest),
            training=training.model_copy(update={"log_every": self.line}),
        )
        return recipe.model_copy(update={"objective": ObjectiveSettings()})


class NgramTrial(ModelTrial):
    """An n-gram over pieces or words, with the order that validates best."""

    articles: str
    orders: tuple[int, ...] = ORDERS
    rare: int = RARE
    vocabulary: int = 4000
    seed: int = 0


def measure(runner: TrialRunner, options: PerplexityOptions) -> Result:
    """Measure the speeds, choose the sizes, then train each network with each seed."""
    source = find_articles(options.texts)
    articles = cut_articles(source, SLICES[runner.size], runner.folder / "articles")
    glimpse = cut_articles(source, Slice(train=20, valid=1, test=1), runner.folder / "glimpse")
    seconds = options.seconds or SECONDS[runner.size]
    checksum, first = articles.checksum, runner.seeds[0]
    named_models = [(name, model) for name in SIZES for model in SIZES[name][runner.size]]
    paced = [
        PerplexityTrial(name=name, model=model, articles=glimpse.checksum, steps=PACED[runner.size],
             paced=True, seed=first)
        for name, model in named_models
    ]  # fmt: skip
    paces = runner.run(paced, partial(measure_pace, articles=glimpse))
    tries = [
        PerplexityTrial(name=trial.name, model=trial.model, articles=checksum, seed=first,
             steps=steps_in_time(trial.recipe(articles), seconds, float(pace["pace"])))
        for trial, pace in zip(paced, paces, strict=True)
    ]  # fmt: skip

    def train(trials: Sequence[PerplexityTrial]) -> list[Measurement]:
        return runner.run(trials, partial(measure_trial, articles=articles))

    tried = train(tries)
    results: list[Measurement] = []
    for name in SIZES:
        best = min(select(tried, name), key=lambda result: float(result["valid"]))
        trial = tries[tried.index(best)]
        others = [trial.model_copy(update={"seed": seed}) for seed in runner.seeds[1:]]
        results += [best, *train(others)]
    ngrams = [NgramTrial(name=name, articles=checksum) for name in (PIECES, WORDS)]
    results += runner.run(ngrams, partial(measure_ngram, articles=articles))
    longest = tries[0].longest
    return Result(
        results,
        [decide(results, seconds)],
        tables(results, tried, longest),
        {"budget": seconds, "tried": tried},
    )


def measure_pace(trial: PerplexityTrial, place: Path, *, articles: Articles) -> Measurement:
    """Return the seconds of a step, by taking some."""
    folder = RunFolder(train_in(place, trial.recipe(articles)))
    lines = [row["seconds"] for row in read_log(folder.metrics) if row["kind"] == "train"]
    return {"pace": fmean(lines[len(lines) // 4 :]) / trial.line}


def measure_trial(trial: PerplexityTrial, place: Path, *, articles: Articles) -> Measurement:
    """Train one network, and let it read the test."""
    folder = RunFolder(train_in(place, trial.recipe(articles)))
    log = read_log(folder.metrics)
    trained = [row for row in log if row["kind"] == "train"]
    read, writer = read_articles(articles), LanguageModel.load(folder.path)
    judged = score_documents(writer, read.test, "test")
    return {
        "size": f"width {trial.model.width}",
        "parameters": parameter_count(writer.model),
        "valid": min(row["loss"] for row in log if row["kind"] == "validation"),
        "trained": sum(result["seconds"] for result in trained),
        "seen": sum(result["tokens"] for result in trained),
        "entries": writer.tokenizer.size,
        "pieces": judged.tokens,
        "per_piece": judged.perplexity,
        "per_word": math.exp(judged.nats_per_token * judged.tokens / read.test_words),
        "bits_per_byte": judged.bits_per_byte,
        "unknown": 0.0,
    }


def measure_ngram(trial: NgramTrial, _: Path, *, articles: Articles) -> Measurement:
    """Count with each order, and let the one that validates best read the test."""
    vocabulary = None
    if trial.name == PIECES:
        lines = (line for document in read_articles(articles).train for line in document)
        vocabulary = train_tokenizer(BpeTokenizerSettings(vocab_size=trial.vocabulary), lines, [])
    began = time.perf_counter()
    read = read_articles(articles)
    numbered = (
        number_words(read, trial.rare) if vocabulary is None else number_pieces(read, vocabulary)
    )
    reading = time.perf_counter() - began
    valid = {}
    counting = {}
    for order in trial.orders:
        began = time.perf_counter()
        counted = _fit(numbered, order)
        counting[order] = time.perf_counter() - began
        valid[order] = counted.surprise(numbered.valid, 1).tokens.nats_per_token
    best = min(valid, key=lambda order: valid[order])
    model = _fit(numbered, best)
    judged = model.surprise(numbered.test, read.test_bytes)
    tokens = sum(map(len, numbered.test)) + len(numbered.test)
    nats = judged.tokens.nats_per_token * tokens
    return {
        "size": f"order {best}",
        "parameters": sum(len(length.keys) for length in model.lengths),
        "valid": valid[best],
        "orders_tried": {str(order): value for order, value in valid.items()},
        "trained": reading + counting[best],
        "seen": sum(map(len, numbered.train)) + len(numbered.train),
        "entries": numbered.entries,
        "pieces": tokens,
        "per_piece": judged.tokens.perplexity,
        "per_word": math.exp(nats / read.test_words),
        "bits_per_byte": judged.bits_per_byte,
        "unknown": numbered.unknown,
        "sum": [float(model.distribution(row[:5]).sum()) for row in numbered.test[:3]],
    }


def _fit(numbered: Numbered, order: int) -> KneserNey:
    return KneserNey.fit(numbered.train, order=order, vocabulary=numbered.entries)


def tables(results: Results, tried: Results, longest: int) -> list[ResultTable]:
    """Return the surprise of each model, and what the sizes were chosen by."""
    note = NOTE.format(unknown=float(select(results, WORDS)[0]["unknown"]), longest=longest)
    return [
        ResultTable(
            "Surprise at the test",
            ("model", "size", "parameters or n-grams", "perplexity per piece", "per word",
             "bits per byte", "seconds", "tokens seen"),
            [_table_row(results, name) for name in names(results)],
            note,
        ),
        ResultTable(
            "Sizes tried with the first seed, nats per piece on the validation articles",
            ("model", "size", "steps", "seconds", "validation"),
            [
                (str(one["name"]), str(one["size"]), f"{one['steps']:,}", f"{one['trained']:.0f}",
                 f"{one['valid']:.3f}")
                for one in tried
            ],
        ),
    ]  # fmt: skip


def _table_row(results: Results, name: str) -> tuple[str, ...]:
    first = select(results, name)[0]

    def over_seeds(key: str, digits: int) -> str:
        return spread_of(results, name, key).written(digits)

    return (
        name,
        str(first["size"]),
        f"{first['parameters']:,}",
        over_seeds("per_piece", 1) if name != WORDS else "",
        over_seeds("per_word", 1) + (" (with unknown)" if name == WORDS else ""),
        over_seeds("bits_per_byte", 3) if name != WORDS else "",
        over_seeds("trained", 1),
        f"{median(figures(results, name, 'seen')):,.0f}",
    )


def draw(result: Result, path: Path) -> None:
    """Draw bits per byte, perplexity per word and seconds."""
    alike = [name for name in names(result.measurements) if name != WORDS]
    panels = [
        Bars(title, alike, [figures(result.measurements, name, key) for name in alike])
        for key, title in (
            ("bits_per_byte", "bits per byte of the test"),
            ("per_word", "perplexity per word"),
            ("trained", "seconds of training"),
        )
    ]
    draw_panels(panels, path, "Language models at equal training time")


EXPERIMENT = Experiment(
    name="perplexity",
    needs=("wikitext-2",),
    title="Perplexity at equal training time: GPT, LSTM and Kneser–Ney n-grams",
    hypotheses=(CLAIM,),
    options=PerplexityOptions,
    measure=measure,
    draw=draw,
)
