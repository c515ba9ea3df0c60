"""How are words best masked, what is the next sentence worth, and can a masked model write?

Tiny encoders learn from short sentences of the embedded grammar, all with the same batches, steps
and rate. Two learn from sentences alone, in BERT's mixture of masks, other words and the word
itself, or with masks alone. They are judged on texts without any mask, as in fine-tuning: by a
logistic regression on the means of their states, which tells the construction of a sentence from a
few examples, and by what they say of words in plain sight. The first also writes sentences, each
word drawn anew in turn (Gibbs sampling), against a causal network of the same size.

Four learn from stories, four sentences about one subject: with new masks in each epoch or always
the same, and with the question whether a segment follows or without. One rate was tried, with
seed 90, the power estimates are from seeds 90 to 92; only validation sentences were used there.
"""

from pathlib import Path
from typing import Literal

import torch

from dragoman.config.settings import Settings
from dragoman.config.task import MaskedTaskSettings
from dragoman.lab.experiment import Experiment, NoOptions, Result, ResultTable
from dragoman.lab.experiments.masking.data import (
    GrammarLine,
    GrammarSentences,
    SentenceCounts,
    draw_sentences,
)
from dragoman.lab.experiments.masking.judging import (
    known_pairs,
    masked_words,
    next_sentences,
    probe,
    share_in_order,
    visible_words,
    write_causal,
    write_masked,
)
from dragoman.lab.experiments.masking.training import train_causal, train_masked
from dragoman.lab.experiments.masking.verdicts import (
    BERT,
    CAUSAL,
    CLAIMS,
    MASKS,
    MIXED,
    PAIRS,
    ROBERTA,
    STATIC,
    decide,
)
from dragoman.lab.results import Measurement, Results, figures, names, percent_of, select, spread_of
from dragoman.lab.runner import TrialRunner
from dragoman.lab.trial import ModelTrial, parameter_count
from dragoman.plots.lab import Bars, draw_panels

STEPS = {"quick": 250, "full": 500}
COUNTS = SentenceCounts(train=5000, held_out=1000)
RATE = 3e-3


class MaskedWay(Settings):
    """How a network is trained, and on what."""

    reads: Literal["sentences", "stories"]
    task: MaskedTaskSettings | None = None
    """Of an encoder; without it, the network is causal."""


WAYS: dict[str, MaskedWay] = {
    MIXED: MaskedWay(reads="sentences", task=MaskedTaskSettings()),
    MASKS: MaskedWay(
        reads="sentences",
        task=MaskedTaskSettings(mask_replace_prob=1.0, random_replace_prob=0.0),
    ),
    CAUSAL: MaskedWay(reads="sentences"),
    ROBERTA: MaskedWay(reads="stories", task=MaskedTaskSettings()),
    STATIC: MaskedWay(reads="stories", task=MaskedTaskSettings(dynamic_masking=False)),
    PAIRS: MaskedWay(reads="stories", task=MaskedTaskSettings(next_sentence=True)),
    BERT: MaskedWay(
        reads="stories", task=MaskedTaskSettings(next_sentence=True, dynamic_masking=False)
    ),
}


class MaskingTrial(ModelTrial):
    """One way of training, one seed."""

    way: MaskedWay
    counts: SentenceCounts = COUNTS
    steps: int
    rate: float = RATE
    labeled: int = 300
    """Sentences that the probe learns from."""
    written: int = 300
    """Sentences that a network writes."""
    sweeps: int = 4
    """How often a masked network draws each word."""
    pair_epochs: int = 3
    """How often pairs are drawn from the stories of the test."""


def measure(runner: TrialRunner, _: NoOptions) -> Result:
    """Train every way with every seed."""
    steps = STEPS[runner.size]
    trials = [
        MaskingTrial(name=name, seed=seed, way=way, steps=steps)
        for seed in runner.seeds
        for name, way in WAYS.items()
    ]
    results = runner.run(trials, lambda trial, _: measure_trial(trial))
    return Result(results, decide(results), tables(results))


def measure_trial(trial: MaskingTrial) -> Measurement:
    """Train one network and judge it on unseen sentences."""
    drawn = draw_sentences(trial.counts, trial.seed)
    store = (drawn.lines if trial.way.reads == "sentences" else drawn.stories)(drawn.train)
    how = (store, drawn.tokenizer, trial.steps, trial.rate, trial.seed)
    generator = torch.Generator().manual_seed(trial.seed)
    if trial.way.task is None:
        causal = train_causal(*how)
        longest = max(map(len, drawn.ids(drawn.train)))
        written = write_causal(causal, trial.written, longest, generator)
        return {"parameters": parameter_count(causal), **_in_order(drawn, written)}
    model = train_masked(trial.way.task, *how)
    test = drawn.lines(drawn.test)
    judged = masked_words(model, test, drawn.tokenizer.size)
    found: Measurement = {
        "parameters": parameter_count(model),
        "loss": judged.loss,
        "accuracy": judged.accuracy,
    }
    if trial.way.task.next_sentence:
        stories = drawn.stories(drawn.test)
        pairs = next_sentences(model, stories, drawn.tokenizer.size, trial.pair_epochs)
        found["follows"] = pairs.follows_accuracy or 0.0
    if trial.way.reads == "stories":
        return found
    lengths = [len(ids) for ids in drawn.ids(drawn.train[: trial.written])]
    written = write_masked(model, lengths, trial.sweeps, generator)
    return {
        **found,
        "probe": probe(model, _labeled(drawn, drawn.valid[: trial.labeled]),
                       _labeled(drawn, drawn.test)),
        "visible": visible_words(model, drawn.ids(drawn.test)),
        **_in_order(drawn, written),
    }  # fmt: skip


def _labeled(
    drawn: GrammarSentences, sentences: list[GrammarLine]
) -> tuple[list[list[int]], list[str]]:
    return drawn.ids(sentences), [one.construction for one in sentences]


def _in_order(drawn: GrammarSentences, written: list[list[int]]) -> Measurement:
    """Judge what was written by the sentences that training and validation know."""
    known = known_pairs([*drawn.ids(drawn.train), *drawn.ids(drawn.valid)])
    return {
        "in_order": share_in_order(written, known),
        "distinct": len({tuple(ids) for ids in written}) / len(written),
        "real_in_order": share_in_order(drawn.ids(drawn.test), known),
    }


def tables(results: Results) -> list[ResultTable]:
    """Return the networks that read sentences, and those that read stories."""
    alone = [name for name in names(results) if name in (MIXED, MASKS, CAUSAL)]
    stories = [name for name in names(results) if name not in alone]
    return [
        ResultTable(
            "Read sentences; judged on unseen ones without masks",
            ("training", "probe, %", "nats at visible words", "written in order, %", "distinct, %"),
            [
                (
                    name,
                    "–" if name == CAUSAL else percent_of(results, name, "probe"),
                    "–" if name == CAUSAL else spread_of(results, name, "visible").written(2),
                    percent_of(results, name, "in_order"),
                    percent_of(results, name, "distinct"),
                )
                for name in alone
            ],
            f"± is the deviation over seeds. {select(results, MIXED)[0]['parameters']:,} weights "
            f"and {select(results, CAUSAL)[0]['parameters']:,} of the causal network. In order: "
            "every word is known to follow the one before it from 6,000 other sentences.",
        ),
        ResultTable(
            "Read stories; masked words of unseen sentences",
            ("training", "loss, nats", "right, %", "pairs right, %"),
            [
                (
                    name,
                    spread_of(results, name, "loss").written(),
                    percent_of(results, name, "accuracy"),
                    percent_of(results, name, "follows") if name in (PAIRS, BERT) else "–",
                )
                for name in stories
            ],
            "Static: the same masks, and pairs, in every epoch. A guess has 50 % of the pairs.",
        ),
    ]


def draw(result: Result, path: Path) -> None:
    """Draw the probe, the written sentences, the masked words and the pairs."""
    results = result.measurements

    def percent(name: str, key: str) -> list[float]:
        return [100 * one for one in figures(results, name, key)]

    stories = [ROBERTA, STATIC, PAIRS, BERT]
    panels = [
        Bars("probe of the states, % right", [MIXED, MASKS],
             [percent(name, "probe") for name in (MIXED, MASKS)]),
        Bars("written sentences in order, %", [CAUSAL, MIXED],
             [percent(name, "in_order") for name in (CAUSAL, MIXED)]),
        Bars("masked words of stories: nats", stories,
             [figures(results, name, "loss") for name in stories]),
        Bars("pairs judged rightly, %", [PAIRS, BERT],
             [percent(name, "follows") for name in (PAIRS, BERT)],
             baseline=50.0, baseline_label="a guess"),
    ]  # fmt: skip
    draw_panels(panels, path, "Masking words")


EXPERIMENT = Experiment(
    name="masking",
    title="Masked words: the mixture of BERT, the next sentence, RoBERTa, and writing",
    hypotheses=CLAIMS,
    options=NoOptions,
    measure=measure,
    draw=draw,
    seeds=tuple(range(1, 11)),
)
