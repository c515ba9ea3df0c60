"""After reading as much, which language model is the least surprised by unseen text?

An n-gram with Kneser–Ney smoothing counts a text once; a GPT and an LSTM read as many tokens of it
as it has, which is about once. There are two texts. Articles of Wikipedia, of which this is little;
and made sentences whose verb agrees with a noun that may stand further back than any n-gram sees.
All read the same byte-pair pieces; beside them stands the n-gram over words of the literature, for
which rare words are one unknown word.

Tokens make the budget, so that the result does not depend on the machine. Sizes and rates are set
beforehand, from a pilot with the seeds 90 and 91; the n-gram's order is chosen on validation text.
"""

import math
import time
from functools import partial
from pathlib import Path
from statistics import median

from dragoman.config.batches import BatchSettings
from dragoman.config.cells import LstmCell
from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.recipe import Recipe
from dragoman.config.recurrent_text import RecurrentLanguageSettings
from dragoman.config.settings import Settings
from dragoman.config.task import LanguageTaskSettings
from dragoman.config.tokenizer import BpeTokenizerSettings
from dragoman.data.tokenizer.train import train_tokenizer
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.lab.baselines.kneser_ney import KneserNey
from dragoman.lab.experiment import Experiment, Result, ResultTable, Size
from dragoman.lab.experiments.perplexity.data import (
    Articles,
    MadeSentences,
    Numbered,
    Slice,
    cut_articles,
    find_articles,
    number_pieces,
    number_words,
    read_articles,
    write_sentences,
)
from dragoman.lab.experiments.perplexity.verdicts import (
    CLAIM,
    GPT,
    LSTM,
    PIECES,
    TEXTS,
    WORDS,
    Texts,
    decide,
    of_text,
)
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


SIZES: dict[Texts, dict[Size, dict[str, Network]]] = {
    "articles": {
        "quick": {GPT: gpt(96, 2), LSTM: lstm(128)},
        "full": {GPT: gpt(128, 3), LSTM: lstm(192)},
    },
    "sentences": {
        "quick": {GPT: gpt(64, 2), LSTM: lstm(96)},
        "full": {GPT: gpt(64, 2), LSTM: lstm(96)},
    },
}
SLICES: dict[Size, Slice] = {
    "quick": Slice(train=30, valid=2, test=6),
    "full": Slice(train=110, valid=10, test=20),
}
SENTENCES: dict[Size, MadeSentences] = {
    "quick": MadeSentences(train=30_000, test=500),
    "full": MadeSentences(train=30_000),
}

TOKENS, LONGEST = 1024, 128
ORDERS = (2, 3, 4, 5, 6)
RARE = 3
"""Words seen less often are unknown, as in WikiText."""

NOTE = (
    "± is the deviation over seeds. A word's perplexity divides the surprise of all pieces by the "
    "words and line ends; that of the n-gram over words cannot be compared, for {unknown:.1%} of "
    "its test is one easy unknown word. Networks see at most {longest} pieces at once. Seconds of "
    "the networks are those of their steps, on one thread; those of the n-grams are for reading, "
    "cutting and counting with the order that validated best. Learning the pieces is left out for "
    "all."
)


class PerplexityOptions(Settings):
    """The options of this subject."""

    texts: Path | None = None
    """Your own folder with train.txt, valid.txt and test.txt, articles parted by empty lines."""


class PerplexityTrial(TrainingTrial):
    """One network of a size, trained with one seed."""

    model: Network
    text: Texts
    articles: str
    """Checksum of the files."""
    rate: float = 2e-3
    vocabulary: int = 4000
    tokens: int = TOKENS
    longest: int = LONGEST

    @property
    def title(self) -> str:
        """The line that is printed when it begins."""
        return f"{self.name}, {self.text}: {self.steps:,} steps, seed {self.seed}"

    @property
    def line(self) -> int:
        """Steps between two lines of the log; no step is left without one."""
        return next(n for n in range(max(1, self.steps // 20), 0, -1) if self.steps % n == 0)

    def recipe(self, articles: Articles) -> Recipe:
        """Return the recipe that trains it."""
        training = trial_training(self.steps, validations=1, checkpoints=4)
        return self.recipe_of(
            "perplexity",
            LanguageTaskSettings(),
            articles.corpus,
            self.model,
            tokenizer=BpeTokenizerSettings(vocab_size=self.vocabulary),
            batches=BatchSettings(max_tokens=self.tokens, max_length=self.longest),
            training=training.model_copy(update={"log_every": self.line}),
        )


class NgramTrial(ModelTrial):
    """An n-gram over pieces or words, with the order that validates best."""

    text: Texts
    articles: str
    orders: tuple[int, ...] = ORDERS
    rare: int = RARE
    vocabulary: int = 4000
    seed: int = 0


def measure(runner: TrialRunner, options: PerplexityOptions) -> Result:
    """Count the n-grams of either text, then train each network on as many tokens."""
    size = runner.size
    source = find_articles(options.texts)
    articles = cut_articles(source, SLICES[size], runner.folder / "articles")
    sentences = write_sentences(SENTENCES[size], runner.folder / "sentences")
    files: dict[Texts, Articles] = {"articles": articles, "sentences": sentences}
    results: list[Measurement] = []
    for text, read in files.items():
        ngrams = [
            NgramTrial(name=name, text=text, articles=read.checksum) for name in (PIECES, WORDS)
        ]
        counted = runner.run(ngrams, partial(measure_ngram, articles=read))
        trials = [
            PerplexityTrial(
                name=name,
                model=model,
                text=text,
                articles=read.checksum,
                steps=steps_to_read(int(counted[0]["seen"])),
                seed=seed,
            )
            for seed in runner.seeds
            for name, model in SIZES[text][size].items()
        ]
        results += [*runner.run(trials, partial(measure_trial, articles=read)), *counted]
    return Result(results, [decide(results)], tables(results))


def steps_to_read(tokens: int) -> int:
    """Return the steps in which a network reads so many tokens, as nearly as whole steps can."""
    return max(1, round(tokens / TOKENS))


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


def tables(results: Results) -> list[ResultTable]:
    """Return the surprise of each model, a table for each text."""
    return [_table(of_text(results, text), text) for text in TEXTS]


def _table(results: Results, text: Texts) -> ResultTable:
    unknown = float(select(results, WORDS)[0]["unknown"])
    return ResultTable(
        f"Surprise at the test: {text}",
        ("model", "size", "parameters or n-grams", "perplexity per piece", "per word",
         "bits per byte", "seconds", "tokens seen"),
        [_table_row(results, name) for name in names(results)],
        NOTE.format(unknown=unknown, longest=LONGEST) if text == TEXTS[-1] else "",
    )  # fmt: skip


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
    """Draw bits per byte, and seconds, of either text."""
    panels = []
    for text in TEXTS:
        results = of_text(result.measurements, text)
        alike = [name for name in names(results) if name != WORDS]
        panels += [
            Bars(f"{text}: {title}", alike, [figures(results, name, key) for name in alike])
            for key, title in (
                ("bits_per_byte", "bits per byte of the test"),
                ("trained", "seconds of training"),
            )
        ]
    draw_panels(panels, path, "Language models that have read as much")


EXPERIMENT = Experiment(
    name="perplexity",
    needs=("wikitext-2",),
    title="Perplexity after reading as much: GPT, LSTM and Kneser–Ney n-grams",
    hypotheses=(CLAIM,),
    options=PerplexityOptions,
    measure=measure,
    draw=draw,
    seeds=(11, 12, 13, 14),
    quick_seeds=(11, 12, 13),
)
