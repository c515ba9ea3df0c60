"""Does it pay to pretrain? The same network from pretrained and from random weights, few examples.

An encoder guesses hidden words of plain sentences. Then it learns two tasks, each from 40 to 320
labelled sentences: the number of a subject, before its verb is read; and whether the verb of a
sentence is right. Pretraining begins with the very weights that the random start has, and both
starts have the same words, texts, steps and batches. Rates and steps are set beforehand, from
pilots with the seeds 90 to 95.
"""

import hashlib
from functools import partial
from pathlib import Path

from dragoman.config.batches import BatchSettings
from dragoman.config.corpus import LabeledCorpus, TextCorpus
from dragoman.config.encoder import EncoderSettings
from dragoman.config.recipe import Recipe
from dragoman.config.start import FullStart
from dragoman.config.task import ClassificationTaskSettings, MaskedTaskSettings
from dragoman.config.tokenizer import WordTokenizerSettings
from dragoman.core.lock import in_turn
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.lab.experiment import Experiment, NoOptions, Result, Size
from dragoman.lab.experiments.pretraining_pays.data import (
    ExampleCounts,
    Gathered,
    SentencesPlan,
    Task,
    gather,
)
from dragoman.lab.experiments.pretraining_pays.scores import classifier_scores
from dragoman.lab.experiments.pretraining_pays.verdicts import (
    CLAIMS,
    PRETRAINED,
    PRETRAINING,
    RANDOM,
    STARTS,
    TASKS,
    decide,
    draw,
    tables,
)
from dragoman.lab.results import Measurement
from dragoman.lab.runner import TrialRunner
from dragoman.lab.trial import TrainingTrial, trial_training
from dragoman.trials.trial import train_in

ENCODER = EncoderSettings(
    width=64, heads=4, layers=2, ffn_width=256, norm="pre", positions="rotary", dropout=0.0
)
DROPOUT = 0.1
"""While fine-tuning, of both starts."""
UNTRAINED = 1e-9
"""The rate of the one step that a run needs to be one: it changes nothing that would be seen."""

COUNTS: dict[Size, tuple[int, ...]] = {"quick": (80, 320), "full": (40, 80, 160, 320)}
UNEVEN = 80
SENTENCES: dict[Size, int] = {"quick": 6000, "full": 8000}
JUDGED: dict[Size, tuple[int, int]] = {"quick": (100, 400), "full": (200, 600)}
"""Sentences to validate and to test."""

PRETRAINING_STEPS: dict[Size, int] = {"quick": 900, "full": 2000}
PRETRAINING_RATE = 3e-3
RATES: dict[Task, dict[str, float]] = {
    "number": {PRETRAINED: 3e-3, RANDOM: 1e-3},
    "verb": {PRETRAINED: 1e-3, RANDOM: 3e-3},
}
"""Of fine-tuning: of two, those that validated best in the pilot."""
STEPS: dict[Size, int] = {"quick": 100, "full": 150}
TOKENS, LONGEST = 512, 32
"""Padded tokens of a batch while fine-tuning, of which pretraining has twice as many."""


class PretrainedStart(TrainingTrial):
    """One seed: the weights that both starts begin with."""

    name: str = PRETRAINING
    plan: SentencesPlan
    rate: float = PRETRAINING_RATE
    tokens: int = 2 * TOKENS

    def recipe(self, files: Gathered, first: Path | None) -> Recipe:
        """Return the recipe of the pretraining, or where there is no `first` run, of that one."""
        begun = self if first else self.model_copy(update={"steps": 1, "rate": UNTRAINED})
        recipe = begun.recipe_of(
            "pretrained" if first else "first",
            MaskedTaskSettings(),
            TextCorpus(train=(files.text,), documents="lines", held_out=0.01),
            ENCODER,
            tokenizer=WordTokenizerSettings(),
            batches=BatchSettings(max_tokens=self.tokens, max_length=LONGEST),
        )
        return recipe.model_copy(update={"start": FullStart(run=first) if first else None})


class TuningTrial(TrainingTrial):
    """One task, one start, one set of examples, one seed."""

    pretraining: PretrainedStart
    task: Task
    start: str
    examples: ExampleCounts
    tokens: int = TOKENS

    @property
    def title(self) -> str:
        """The line that is printed when it begins."""
        examples = f"{self.examples.count:,} examples, {self.examples.share}"
        return f"{self.name}, {examples}, seed {self.seed}"

    def recipe(self, files: Gathered, begun: Path) -> Recipe:
        """Return the recipe that fine-tunes."""
        task = self.task
        training = trial_training(self.steps, validations=5, checkpoints=1, lines=5)
        recipe = self.recipe_of(
            "fine-tuned",
            ClassificationTaskSettings(),
            LabeledCorpus(
                train=(files.examples(task, self.examples),),
                valid=(files.valid(task),),
                test=(files.test(task),),
            ),
            ENCODER.model_copy(update={"dropout": DROPOUT}),
            tokenizer=WordTokenizerSettings(),
            batches=BatchSettings(max_tokens=self.tokens, max_length=LONGEST),
            training=training.model_copy(update={"best_metric": "macro_f1"}),
        )
        return recipe.model_copy(update={"start": FullStart(run=begun)})


class PretrainedRuns:
    """The pretrained and random runs that trials start from, with their texts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def files(self, pretraining: PretrainedStart) -> Gathered:
        """Gather the texts of a seed, once."""
        texts = self._place(pretraining) / "texts"
        with in_turn(texts):
            return gather(pretraining.plan, texts)

    def begun(self, pretraining: PretrainedStart, start: str) -> Path:
        """Return the run that a start begins with, trained if it is not there yet."""
        place, files = self._place(pretraining), self.files(pretraining)
        with in_turn(place):
            first = train_in(place, pretraining.recipe(files, None))
            if start == RANDOM:
                return first
            return train_in(place, pretraining.recipe(files, first))

    def _place(self, pretraining: PretrainedStart) -> Path:
        details = hashlib.sha256(pretraining.model_dump_json().encode("utf-8")).hexdigest()[:16]
        return self.folder / details


def measure(runner: TrialRunner, _: NoOptions) -> Result:
    """Pretrain, then fine-tune both starts with every task, set and seed."""
    runs = PretrainedRuns(runner.folder / "begun")
    begun = [pretraining(runner.size, seed) for seed in runner.seeds]
    results = runner.run(begun, partial(measure_pretraining, runs=runs))
    trials = [
        trial(runner.size, one, task, start, examples)
        for one in begun
        for task in TASKS
        for start in STARTS
        for examples in one.plan.sets_of(task)
    ]
    results += runner.run(trials, partial(measure_trial, runs=runs))
    return Result(results, decide(results), tables(results))


def pretraining(size: Size, seed: int) -> PretrainedStart:
    """Describe what comes before the fine-tuning."""
    valid, tested = JUDGED[size]
    sets = (
        *(ExampleCounts(count=count) for count in COUNTS[size]),
        ExampleCounts(count=UNEVEN, share="uneven"),
        ExampleCounts(count=UNEVEN, share="evened"),
    )
    plan = SentencesPlan(
        sentences=SENTENCES[size], valid=valid, tested=tested, sets=sets, seed=seed
    )
    return PretrainedStart(plan=plan, steps=PRETRAINING_STEPS[size], seed=seed)


def trial(
    size: Size, begun: PretrainedStart, task: Task, start: str, examples: ExampleCounts
) -> TuningTrial:
    """Describe one fine-tuning."""
    return TuningTrial(
        name=f"{task}, {start}",
        pretraining=begun,
        task=task,
        start=start,
        examples=examples,
        rate=RATES[task][start],
        steps=STEPS[size],
        seed=begun.seed,
    )


def measure_pretraining(trial: PretrainedStart, _: Path, *, runs: PretrainedRuns) -> Measurement:
    """Pretrain, and say what that made of the loss on held-out text."""
    losses = [
        min(row["loss"] for row in read_log(run.metrics) if row["kind"] == "validation")
        for run in (RunFolder(runs.begun(trial, start)) for start in reversed(STARTS))
    ]
    return {"before": losses[0], "after": losses[1]}


def measure_trial(trial: TuningTrial, place: Path, *, runs: PretrainedRuns) -> Measurement:
    """Fine-tune one start with one set of examples, and put it to the test."""
    files, begun = runs.files(trial.pretraining), runs.begun(trial.pretraining, trial.start)
    folder = RunFolder(train_in(place, trial.recipe(files, begun)))
    log = [row for row in read_log(folder.metrics) if row["kind"] == "validation"]
    return {"valid": max(row["macro_f1"] for row in log), **classifier_scores(folder)}


EXPERIMENT = Experiment(
    name="pretraining-pays",
    title="Few examples: a pretrained against a random start",
    hypotheses=CLAIMS,
    options=NoOptions,
    measure=measure,
    draw=draw,
    seeds=tuple(range(21, 29)),
    quick_seeds=tuple(range(21, 25)),
)
