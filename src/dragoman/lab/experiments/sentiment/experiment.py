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
from dragoman.config.corpus import LabeledCorpus
from dragoman.config.model import ClassifierSettings
from dragoman.config.recipe import Recipe
from dragoman.config.recurrent_text import RecurrentClassifierSettings
from dragoman.config.settings import Settings
from dragoman.config.task import ClassificationTaskSettings
from dragoman.config.text_cnn import TextCnnSettings
from dragoman.config.tokenizer import BpeTokenizerSettings
from dragoman.config.training import ObjectiveSettings
from dragoman.core.files import sha256
from dragoman.data.corpus.held_out_labeled import load_held_out_labeled
from dragoman.data.corpus.labeled import open_labeled
from dragoman.data.formats.labeled import LabeledText
from dragoman.data.tokenizer.train import train_tokenizer
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.lab.baselines.bag_of_words import BagOfWords
from dragoman.lab.experiment import Experiment, Result, Size
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
    CLAIMS,
    CNN,
    GRU,
    LSTM,
    decide,
    of_class,
    of_order,
    tables,
)
from dragoman.lab.results import Measurement, Results, figures, names, select
from dragoman.lab.runner import TrialRunner
from dragoman.lab.trial import ModelTrial, TrainingTrial, parameter_count, trial_training
from dragoman.metrics.classification import classification_scores, majority
from dragoman.plots.lab import Bars, draw_panels
from dragoman.tasks.text_classification.classifier import Classifier
from dragoman.trials.trial import train_in

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


class SentimentTrial(TrainingTrial):
    """One network, one rate, one seed."""

    model: ClassifierSettings
    reviews: str
    """Checksum of the table."""
    vocabulary: int = VOCABULARY
    held_out: float = HELD_OUT
    tokens: int = 1024

    def recipe(self, table: Path) -> Recipe:
        """Return the recipe that trains it."""
        training = trial_training(self.steps, validations=5, checkpoints=5, lines=20)
        recipe = self.recipe_of(
            "sentiment",
            ClassificationTaskSettings(),
            LabeledCorpus(train=(table,), held_out=self.held_out),
            self.model,
            tokenizer=BpeTokenizerSettings(vocab_size=self.vocabulary),
            batches=BatchSettings(max_tokens=self.tokens),
            training=training.model_copy(update={"best_metric": "accuracy"}),
        )
        return recipe.model_copy(update={"objective": ObjectiveSettings()})


class BagOfWordsTrial(ModelTrial):
    """The bag of words with one seed, which only splits."""

    name: str = BAG
    reviews: str
    decays: tuple[float, ...] = DECAYS
    vocabulary: int = VOCABULARY
    held_out: float = HELD_OUT


def measure(runner: TrialRunner, options: SentimentOptions) -> Result:
    """Choose the rates, then train each network with each seed."""
    table = find_reviews(options.corpus, options.texts)
    checksum = sha256(table)[:16]

    def trials(rates: dict[str, Sequence[float]], seeds: Sequence[int]) -> list[SentimentTrial]:
        return [
            SentimentTrial(
                name=name, model=model, reviews=checksum, steps=STEPS[runner.size], rate=rate,
                seed=seed,
            )
            for seed in seeds
            for name, model in MODELS.items()
            for rate in rates[name]
        ]  # fmt: skip

    def train(planned: Sequence[SentimentTrial]) -> list[Measurement]:
        return runner.run(planned, partial(measure_trial, table=table))

    every: dict[str, Sequence[float]] = dict.fromkeys(MODELS, RATES[runner.size])
    tried = train(trials(every, runner.seeds[:1]))
    best = {name: best_rate(tried, name) for name in MODELS}
    chosen: dict[str, Sequence[float]] = {name: (rate,) for name, rate in best.items()}
    results = [result for result in tried if result["rate"] == best[result["name"]]]
    results += train(trials(chosen, runner.seeds[1:]))
    results += runner.run(
        [BagOfWordsTrial(reviews=checksum, seed=seed) for seed in runner.seeds],
        partial(measure_bag, table=table),
    )
    return Result(
        results,
        decide(results),
        tables(results, RATES[runner.size]),
        {"rates": best, "tried": tried},
    )


def best_rate(tried: Results, name: str) -> float:
    """Return the rate of a network that validated best."""
    return float(max(select(tried, name), key=lambda result: float(result["valid"]))["rate"])


def measure_trial(trial: SentimentTrial, place: Path, *, table: Path) -> Measurement:
    """Train one network and put it to the test, in the order of the texts and in others."""
    folder = RunFolder(train_in(place, trial.recipe(table)))
    classifier = Classifier.load(folder.path)
    held_out = load_held_out_labeled(folder.data)
    check_labels(held_out.test, table)
    log = read_log(folder.metrics)
    paces = [row["seconds"] for row in log if row["kind"] == "train"]
    per_line = max(1, trial.steps // 20)

    def called(texts: Sequence[str]) -> list[str]:
        return [one.label for one in classifier.classify(texts)]

    return {
        **counted(classifier.model),
        "valid": max(row["accuracy"] for row in log if row["kind"] == "validation"),
        "step_ms": 1000 * median(paces) / per_line,
        **judged(called, held_out.test, held_out.classes, trial.seed),
    }


def counted(model: Any) -> Measurement:
    """Count the parameters: all, and those that are neither embeddings nor output."""
    whole = parameter_count(model)
    ends = (*model.embedding.parameters(), *model.output.parameters())
    return {"parameters": whole, "cells": whole - sum(weight.numel() for weight in ends)}


def measure_bag(trial: BagOfWordsTrial, _: Path, *, table: Path) -> Measurement:
    """Fit the bag of words on the same texts, cut into the same pieces, and test it."""
    texts = open_labeled(LabeledCorpus(train=(table,), held_out=trial.held_out), trial.seed)
    train = list(texts.train())
    cut = BpeTokenizerSettings(vocab_size=trial.vocabulary)
    vocabulary = train_tokenizer(cut, (row.text for row in train), [])

    def pieces(given: Sequence[str]) -> list[list[int]]:
        return vocabulary.encode_batch(list(given))

    def accuracy(bag: BagOfWords) -> float:
        answers = bag.predict(pieces([row.text for row in texts.valid]))
        return classification_scores(answers, [row.label for row in texts.valid]).accuracy

    encoded, labels = pieces([row.text for row in train]), [row.label for row in train]
    bags = [BagOfWords(vocabulary.size, decay=decay).fit(encoded, labels) for decay in trial.decays]
    best = max(bags, key=accuracy)

    def called(given: Sequence[str]) -> list[str]:
        return [str(label) for label in best.predict(pieces(given))]

    return {
        "rate": best.decay,
        "parameters": best.weights.numel() + best.bias.numel(),
        "valid": accuracy(best),
        **judged(called, texts.test, texts.classes, trial.seed),
    }


def judged(
    called: Callable[[Sequence[str]], list[str]],
    test: Sequence[LabeledText],
    classes: dict[str, int],
    seed: int,
) -> Measurement:
    """Return how the test is sorted: as a whole, by class, and in another order."""
    true = [row.label for row in test]
    answers = called([row.text for row in test])
    whole = classification_scores(answers, true, classes)
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
    test: Sequence[LabeledText],
    order: Order,
    seed: int,
) -> Measurement:
    """Compare the answers to some texts with those to the same texts in another order."""
    both = reorder(test, order, seed)
    if not both:
        return {"texts": 0, "before": 0.0, "after": 0.0, "changed": 0.0}
    before = called([row.text for row, _ in both])
    after = called([other for _, other in both])
    true = [row.label for row, _ in both]
    return {
        "texts": len(both),
        "before": classification_scores(before, true).accuracy,
        "after": classification_scores(after, true).accuracy,
        "changed": fmean(one != other for one, other in zip(before, after, strict=True)),
    }


def draw(result: Result, path: Path) -> None:
    """Draw accuracy, F1 by class, and what another order changes."""
    results = result.measurements
    shown = names(results)

    def percent(values: Sequence[float]) -> list[float]:
        return [100 * value for value in values]

    panels = [
        Bars(
            "accuracy, %",
            shown,
            [percent(figures(results, name, "accuracy")) for name in shown],
            baseline=fmean(percent(figures(results, shown[0], "majority"))),
            baseline_label="majority baseline",
        ),
        *(
            Bars(
                f"F1 of {one['label']} reviews, %",
                shown,
                [percent(of_class(results, name, str(one["label"]), "f1")) for name in shown],
            )
            for one in results[0]["classes"]
        ),
        Bars(
            "answers changed by swapping clauses, %",
            shown,
            [percent(of_order(results, name, "clauses", "changed")) for name in shown],
        ),
    ]
    draw_panels(panels, path, "Good or bad? Sentiment of film reviews")


EXPERIMENT = Experiment(
    name="sentiment",
    needs=("rotten-tomatoes",),
    title="Sentiment of reviews: LSTM, GRU, a convolutional network and a bag of words",
    hypotheses=CLAIMS,
    options=SentimentOptions,
    measure=measure,
    draw=draw,
    seeds=tuple(range(11, 21)),
)
