"""Is a review good or bad? LSTM, GRU, a convolutional network and a bag of words.

All four read the same pieces of the same reviews. The LSTM and the GRU have equal widths, as one
exchanges one for the other in practice; the convolutional network has as many parameters as the
LSTM, embeddings aside. The highest rate of each network, and the decay of the bag of words, is the
best of three on the validation set of the first seed. A seed decides the split, the first weights
and the order of the texts.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from statistics import fmean, median
from typing import Any

from dragoman.config.batches import BatchSettings
from dragoman.config.cells import GruCell, LstmCell
from dragoman.config.corpus import LabelledCorpus
from dragoman.config.model import ClassifierSettings
from dragoman.config.optimiser import AdamW
from dragoman.config.recipe import Recipe
from dragoman.config.recurrent_text import RecurrentClassifierSettings
from dragoman.config.schedule import Cosine
from dragoman.config.settings import Settings
from dragoman.config.task import ClassificationTaskSettings
from dragoman.config.text_cnn import TextCnnSettings
from dragoman.config.tokenizer import BpeTokenizerSettings
from dragoman.config.training import TrainingSettings
from dragoman.core.files import sha256
from dragoman.data.corpus.held_out_labelled import load_held_out_labelled
from dragoman.data.corpus.labelled import open_labelled
from dragoman.data.formats.labelled import LabelledText
from dragoman.data.tokenizer.train import train_tokenizer
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.lab.baselines.bag_of_words import BagOfWords
from dragoman.lab.bench import Bench
from dragoman.lab.experiment import Result, Row, Size, Subject
from dragoman.lab.experiments.sentiment.data import (
    ORDERS,
    Order,
    Reviews,
    check_labels,
    find_reviews,
    reorder,
)
from dragoman.lab.experiments.sentiment.verdicts import (
    BAG,
    CNN,
    GRU,
    LSTM,
    STATEMENTS,
    judge,
    of_class,
    of_order,
    tables,
)
from dragoman.lab.rows import figures, named, names
from dragoman.lab.training import train_in
from dragoman.metrics.classification import judge as judge_answers
from dragoman.metrics.classification import majority
from dragoman.plots.lab import Bars, draw_panels
from dragoman.tasks.text_classification.classifier import Classifier

MODELS: dict[str, ClassifierSettings] = {
    LSTM: RecurrentClassifierSettings(cell=LstmCell(), embedding_width=128, width=64, dropout=0.3),
    GRU: RecurrentClassifierSettings(cell=GruCell(), embedding_width=128, width=64, dropout=0.3),
    CNN: TextCnnSettings(embedding_width=128, kernel_sizes=(3, 4, 5), filters=64, dropout=0.5),
}

RATES: dict[Size, tuple[float, ...]] = {"quick": (4.5e-3,), "full": (1.5e-3, 4.5e-3, 1.35e-2)}
DECAYS = (0.3, 1.0, 3.0)
STEPS: dict[Size, int] = {"quick": 240, "full": 600}
VOCABULARY = 4000
HELD_OUT = 0.15


class SentimentOptions(Settings):
    """The options of this subject."""

    corpus: Reviews = "rotten-tomatoes"
    """The reviews of the catalogue that are sorted; those of IMDB are cut after 256 tokens."""
    texts: Path | None = None
    """Your own table of texts, each negative or positive."""


class SentimentTrial(Settings):
    """One network, one rate, one seed."""

    name: str
    model: ClassifierSettings
    reviews: str
    """Checksum of the table."""
    steps: int
    rate: float
    vocabulary: int = VOCABULARY
    held_out: float = HELD_OUT
    tokens: int = 1024
    seed: int

    def recipe(self, table: Path) -> Recipe:
        """Return the recipe that trains this unit."""
        every = -(-self.steps // 5)
        return Recipe(
            name="sentiment",
            seed=self.seed,
            task=ClassificationTaskSettings(),
            corpus=LabelledCorpus(train=(table,), held_out=self.held_out),
            tokenizer=BpeTokenizerSettings(vocab_size=self.vocabulary),
            batches=BatchSettings(max_tokens=self.tokens),
            model=self.model,
            optimizer=AdamW(learning_rate=self.rate),
            schedule=Cosine(warmup_steps=self.steps // 20),
            training=TrainingSettings(
                steps=self.steps,
                validate_every=every,
                checkpoint_every=every,
                log_every=max(1, self.steps // 20),
                best_metric="accuracy",
                keep=1,
                threads=1,
            ),
        )


class BagUnit(Settings):
    """The bag of words with one seed, which only splits."""

    name: str = BAG
    reviews: str
    decays: tuple[float, ...] = DECAYS
    vocabulary: int = VOCABULARY
    held_out: float = HELD_OUT
    seed: int


def measure(bench: Bench, options: SentimentOptions) -> Result:
    """Choose the rates, then train each network with each seed."""
    table = find_reviews(options.corpus, options.texts)
    checksum = sha256(table)[:16]

    def units(rates: dict[str, Sequence[float]], seeds: Sequence[int]) -> list[SentimentTrial]:
        return [
            SentimentTrial(
                name=name, model=model, reviews=checksum, steps=STEPS[bench.size], rate=rate,
                seed=seed,
            )
            for seed in seeds
            for name, model in MODELS.items()
            for rate in rates[name]
        ]  # fmt: skip

    def train(planned: Sequence[SentimentTrial]) -> list[Row]:
        return bench.measured(planned, partial(measure_unit, table=table), name=_told)

    every: dict[str, Sequence[float]] = dict.fromkeys(MODELS, RATES[bench.size])
    tried = train(units(every, bench.seeds[:1]))
    best = {name: best_rate(tried, name) for name in MODELS}
    chosen: dict[str, Sequence[float]] = {name: (rate,) for name, rate in best.items()}
    rows = [row for row in tried if row["rate"] == best[row["name"]]]
    rows += train(units(chosen, bench.seeds[1:]))
    rows += bench.measured(
        [BagUnit(reviews=checksum, seed=seed) for seed in bench.seeds],
        partial(measure_bag, table=table),
        name=lambda unit: f"{unit.name}, seed {unit.seed}",
    )
    return Result(
        rows, judge(rows), tables(rows, RATES[bench.size]), {"rates": best, "tried": tried}
    )


def _told(unit: SentimentTrial) -> str:
    return f"{unit.name}, rate {unit.rate:g}, seed {unit.seed}"


def best_rate(tried: Sequence[Row], name: str) -> float:
    """Return the rate of a network that validated best."""
    return float(max(named(tried, name), key=lambda row: float(row["valid"]))["rate"])


def measure_unit(unit: SentimentTrial, place: Path, *, table: Path) -> Row:
    """Train one network and put it to the test, in the order of the texts and in others."""
    folder = RunFolder(train_in(place, unit.recipe(table)))
    classifier = Classifier.load(folder.path)
    held_out = load_held_out_labelled(folder.data)
    check_labels(held_out.test, table)
    log = read_log(folder.metrics)
    paces = [row["seconds"] for row in log if row["kind"] == "train"]
    per_line = max(1, unit.steps // 20)

    def called(texts: Sequence[str]) -> list[str]:
        return [one.label for one in classifier.classify(texts)]

    return {
        **counted(classifier.model),
        "valid": max(row["accuracy"] for row in log if row["kind"] == "validation"),
        "step_ms": 1000 * median(paces) / per_line,
        **judged(called, held_out.test, held_out.classes, unit.seed),
    }


def counted(model: Any) -> Row:
    """Count the parameters: all, and those that are neither embeddings nor output."""
    whole = sum(weight.numel() for weight in model.parameters())
    ends = (*model.embedding.parameters(), *model.output.parameters())
    return {"parameters": whole, "cells": whole - sum(weight.numel() for weight in ends)}


def measure_bag(unit: BagUnit, _: Path, *, table: Path) -> Row:
    """Fit the bag of words on the same texts, cut into the same pieces, and test it."""
    texts = open_labelled(LabelledCorpus(train=(table,), held_out=unit.held_out), unit.seed)
    train = list(texts.train())
    cut = BpeTokenizerSettings(vocab_size=unit.vocabulary)
    vocabulary = train_tokenizer(cut, (row.text for row in train), [])

    def pieces(given: Sequence[str]) -> list[list[int]]:
        return vocabulary.encode_batch(list(given))

    def accuracy(bag: BagOfWords) -> float:
        answers = bag.predict(pieces([row.text for row in texts.valid]))
        return judge_answers(answers, [row.label for row in texts.valid]).accuracy

    encoded, labels = pieces([row.text for row in train]), [row.label for row in train]
    bags = [BagOfWords(vocabulary.size, decay=decay).fit(encoded, labels) for decay in unit.decays]
    best = max(bags, key=accuracy)

    def called(given: Sequence[str]) -> list[str]:
        return [str(label) for label in best.predict(pieces(given))]

    return {
        "rate": best.decay,
        "parameters": best.weights.numel() + best.bias.numel(),
        "valid": accuracy(best),
        **judged(called, texts.test, texts.classes, unit.seed),
    }


def judged(
    called: Callable[[Sequence[str]], list[str]],
    test: Sequence[LabelledText],
    classes: dict[str, int],
    seed: int,
) -> Row:
    """Return how the test is sorted: as a whole, by class, and in another order."""
    true = [row.label for row in test]
    answers = called([row.text for row in test])
    whole = judge_answers(answers, true, classes)
    seen = [label for label, count in classes.items() for _ in range(count)]
    favourite = majority(true, seen, classes)
    return {
        "texts": len(test),
        "accuracy": whole.accuracy,
        "macro_f1": whole.macro_f1,
        "macro_precision": fmean(one.precision for one in whole.classes),
        "macro_recall": fmean(one.recall for one in whole.classes),
        "majority": favourite.accuracy,
        "majority_f1": favourite.macro_f1,
        "classes": [asdict(one) for one in whole.classes],
        "orders": {order: _in_order(called, test, order, seed) for order in ORDERS},
    }


def _in_order(
    called: Callable[[Sequence[str]], list[str]],
    test: Sequence[LabelledText],
    order: Order,
    seed: int,
) -> Row:
    """Compare the answers to some texts with those to the same texts in another order."""
    both = reorder(test, order, seed)
    if not both:
        return {"texts": 0, "before": 0.0, "after": 0.0, "changed": 0.0}
    before = called([row.text for row, _ in both])
    after = called([other for _, other in both])
    true = [row.label for row, _ in both]
    return {
        "texts": len(both),
        "before": judge_answers(before, true).accuracy,
        "after": judge_answers(after, true).accuracy,
        "changed": fmean(one != other for one, other in zip(before, after, strict=True)),
    }


def draw(result: Result, path: Path) -> None:
    """Draw accuracy, F1 by class, and what another order changes."""
    rows = result.rows
    shown = names(rows)

    def percent(values: Sequence[float]) -> list[float]:
        return [100 * value for value in values]

    panels = [
        Bars(
            "accuracy, %",
            shown,
            [percent(figures(rows, name, "accuracy")) for name in shown],
            baseline=fmean(percent(figures(rows, shown[0], "majority"))),
            baseline_label="most frequent class",
        ),
        *(
            Bars(
                f"F1 of {one['label']} reviews, %",
                shown,
                [percent(of_class(rows, name, str(one["label"]), "f1")) for name in shown],
            )
            for one in rows[0]["classes"]
        ),
        Bars(
            "answers changed by swapping clauses, %",
            shown,
            [percent(of_order(rows, name, "clauses", "changed")) for name in shown],
        ),
    ]
    draw_panels(panels, path, "Good or bad? Sentiment of film reviews")


SUBJECT = Subject(
    name="sentiment",
    title="Sentiment of reviews: LSTM, GRU, a convolutional network and a bag of words",
    statements=STATEMENTS,
    options=SentimentOptions,
    measure=measure,
    draw=draw,
)
