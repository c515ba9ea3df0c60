"""Does it pay to pretrain? The same network from pretrained and from random weights, few examples.

Classification: an encoder guesses hidden words of film reviews, then learns from 100 to 6,400
labelled sentences. Translation: an encoder-decoder writes spans cut out of English and of Hindi
sentences, then learns from 300 to 10,000 pairs of others. Pretraining begins with the very weights
that the random start has, and both starts have the same pieces, texts, steps and batches. The
highest rate of each start is the best of three on validation data, on average over the second
smallest and the largest set, with the first seed.
"""

import hashlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from dragoman.config.batches import BatchSettings
from dragoman.config.corpus import FilesCorpus, LabeledCorpus, TextCorpus
from dragoman.config.encoder import EncoderSettings
from dragoman.config.optimizer import AdamW
from dragoman.config.recipe import Recipe
from dragoman.config.schedule import Cosine
from dragoman.config.settings import Settings
from dragoman.config.start import FullStart
from dragoman.config.task import (
    ClassificationTaskSettings,
    MaskedTaskSettings,
    SpansTaskSettings,
    TranslationTaskSettings,
)
from dragoman.config.tokenizer import BpeTokenizerSettings
from dragoman.config.training import DecodingSettings, ObjectiveSettings
from dragoman.config.transformer import TransformerSettings
from dragoman.core.files import sha256
from dragoman.core.lock import in_turn
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.lab.experiment import Experiment, Result, Size
from dragoman.lab.experiments.pretraining_pays.data import (
    ExampleCounts,
    Gathered,
    PairsPlan,
    Plan,
    ReviewsPlan,
    Task,
    gather,
)
from dragoman.lab.experiments.pretraining_pays.scores import classifier_scores, translator_scores
from dragoman.lab.experiments.pretraining_pays.verdicts import (
    CLAIMS,
    PRETRAINED,
    RANDOM,
    STARTS,
    TASKS,
    decide,
    draw,
    tables,
)
from dragoman.lab.experiments.sentiment.data import find_reviews
from dragoman.lab.results import Measurement, Results, select
from dragoman.lab.runner import TrialRunner
from dragoman.lab.trial import TrainingTrial, trial_training
from dragoman.trials.trial import Trial, train_in

ENCODER = EncoderSettings(
    width=64, heads=4, layers=2, ffn_width=256, norm="pre", positions="rotary", dropout=0.0
)
TRANSFORMER = TransformerSettings(
    width=64, heads=4, encoder_layers=2, decoder_layers=2, ffn_width=256, positions="rotary",
    dropout=0.0,
)  # fmt: skip
DROPOUT = 0.2
"""While fine-tuning, of both starts."""
UNTRAINED = 1e-9
"""The rate of the one step that a run needs to be one: it changes nothing that would be seen."""

VOCABULARY: dict[Task, int] = {"classification": 4000, "translation": 1200}
COUNTS: dict[Size, dict[Task, tuple[int, ...]]] = {
    "quick": {"classification": (100, 1600), "translation": (300, 3000)},
    "full": {"classification": (100, 400, 1600, 6400), "translation": (300, 1000, 3000, 10_000)},
}
UNEVEN = 1600
PRETRAINING_STEPS: dict[Size, dict[Task, int]] = {
    "quick": {"classification": 200, "translation": 200},
    "full": {"classification": 1400, "translation": 1000},
}
STEPS: dict[Size, dict[Task, int]] = {
    "quick": {"classification": 80, "translation": 150},
    "full": {"classification": 200, "translation": 500},
}
TEXT: dict[Size, dict[Task, int]] = {
    "quick": {"classification": 8000, "translation": 5000},
    "full": {"classification": 60_000, "translation": 20_000},
}
"""Passages, and sentences of each language."""

JUDGED: dict[Size, tuple[int, int]] = {"quick": (40, 150), "full": (60, 300)}
"""Pairs to validate and to test."""

TOKENS: dict[Task, int] = {"classification": 1024, "translation": 512}
"""Slots of a batch while fine-tuning; pretraining has twice as many."""

RATES: dict[Size, tuple[float, ...]] = {"quick": (3e-3,), "full": (3e-4, 1e-3, 3e-3)}
LONGEST = 64


class PretrainingOptions(Settings):
    """The options of this subject."""

    labelled: Path | None = None
    """Your own table of texts, each negative or positive; otherwise Rotten Tomatoes."""
    plain: Path | None = None
    """Your own texts to pretrain on, one on each line up to a tab; otherwise reviews of IMDB."""


class PretrainedStart(Trial):
    """One task, one seed: the weights that both starts begin with."""

    plan: Plan
    steps: int
    rate: float = 3e-3
    tokens: int
    vocabulary: int
    seed: int

    @property
    def name(self) -> str:
        """What its result is called."""
        return f"{self.plan.task}, pretraining"

    @property
    def title(self) -> str:
        """The line that is printed when it begins."""
        return f"{self.name}, seed {self.seed}"

    def recipe(self, files: Gathered, first: Path | None) -> Recipe:
        """Return the recipe of the pretraining, or where there is no `first` run, of that one."""
        masked = self.plan.task == "classification"
        steps = self.steps if first else 1
        training = trial_training(steps, checkpoints=4)
        return Recipe(
            name="pretrained" if first else "first",
            seed=self.seed,
            task=MaskedTaskSettings()
            if masked
            else SpansTaskSettings(noise_density=0.3, mean_span_length=2.0),
            corpus=TextCorpus(train=(files.text,), documents="lines", held_out=0.01),
            tokenizer=BpeTokenizerSettings(vocab_size=self.vocabulary),
            batches=BatchSettings(max_tokens=self.tokens, max_length=LONGEST),
            start=FullStart(run=first) if first else None,
            model=ENCODER if masked else TRANSFORMER,
            objective=ObjectiveSettings(label_smoothing=0.0),
            optimizer=AdamW(learning_rate=self.rate if first else UNTRAINED),
            schedule=Cosine(warmup_steps=steps // 20),
            training=training.model_copy(update={"validation_sentences": 20}),
            decoding=DecodingSettings(beam=1),
        )


class TuningTrial(TrainingTrial):
    """One task, one start, one set of examples, one rate, one seed."""

    pretraining: PretrainedStart
    start: str
    examples: ExampleCounts
    tokens: int

    @property
    def title(self) -> str:
        """The line that is printed when it begins."""
        examples = f"{self.examples.count:,} examples, {self.examples.share}"
        return f"{self.name}, {examples}, rate {self.rate:g}, seed {self.seed}"

    def recipe(self, files: Gathered, begun: Path) -> Recipe:
        """Return the recipe that fine-tunes."""
        train, valid, test = (files.examples(self.examples),), (files.valid,), (files.test,)
        sorting = self.pretraining.plan.task == "classification"
        model = ENCODER if sorting else TRANSFORMER
        training = trial_training(self.steps, validations=5, checkpoints=1, lines=5)
        return Recipe(
            name="fine-tuned",
            seed=self.seed,
            task=ClassificationTaskSettings() if sorting else TranslationTaskSettings(),
            corpus=(
                LabeledCorpus(train=train, valid=valid, test=test)
                if sorting
                else FilesCorpus(train=train, valid=valid, test=test, examine=False)
            ),
            batches=BatchSettings(max_tokens=self.tokens, max_length=2 * LONGEST),
            start=FullStart(run=begun),
            model=model.model_copy(update={"dropout": DROPOUT}),
            optimizer=AdamW(learning_rate=self.rate),
            schedule=Cosine(warmup_steps=self.steps // 10),
            training=training.model_copy(update={"best_metric": "macro_f1" if sorting else "chrf"}),
            decoding=DecodingSettings(beam=1),
        )


class PretrainedRuns:
    """The pretrained and random runs that trials start from, with their texts."""

    def __init__(self, folder: Path, labelled: Path, plain: Path) -> None:
        self.folder, self.labelled, self.plain = folder, labelled, plain

    def files(self, pretraining: PretrainedStart) -> Gathered:
        """Gather the texts of a task and a seed, once."""
        texts = self._place(pretraining) / "texts"
        with in_turn(texts):
            return gather(pretraining.plan, texts, self.labelled, self.plain)

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


def measure(runner: TrialRunner, options: PretrainingOptions) -> Result:
    """Pretrain, choose the rates, then fine-tune both starts with every set and seed."""
    labelled = find_reviews("rotten-tomatoes", options.labelled)
    plain = find_reviews("imdb-reviews", options.plain)
    checksums = sha256(labelled)[:16], sha256(plain)[:16]
    runs = PretrainedRuns(runner.folder / "begun", labelled, plain)
    begun = [
        pretraining(runner.size, task, seed, checksums) for seed in runner.seeds for task in TASKS
    ]
    results = runner.run(begun, partial(measure_pretraining, runs=runs))
    results = [{**result, "name": trial.name} for trial, result in zip(begun, results, strict=True)]

    def train(trials: Sequence[TuningTrial]) -> list[Measurement]:
        return runner.run(trials, partial(measure_trial, runs=runs))

    tried = train(
        [
            trial(runner.size, one, start, examples, rate)
            for one in begun
            if one.seed == runner.seeds[0]
            for examples in tuned_at(runner.size, one.plan.task)
            for start in STARTS
            for rate in RATES[runner.size]
        ]
    )
    best = {
        name: best_rate(tried, name) for name in dict.fromkeys(result["name"] for result in tried)
    }
    known = {
        (result["name"], result["examples"]["count"], result["seed"]): result for result in tried
    }
    planned = [
        trial(runner.size, one, start, examples, best[f"{one.plan.task}, {start}"])
        for one in begun
        for start in STARTS
        for examples in one.plan.sets
    ]
    done = [result for result in tried if result["rate"] == best[result["name"]]]
    results += [*done, *train([one for one in planned if not _is_tried(one, known)])]
    summary = {"rates": best, "tried": _short(tried)}
    return Result(results, decide(results), tables(results, RATES[runner.size]), summary)


def _is_tried(trial: TuningTrial, known: dict[tuple[str, int, int], Measurement]) -> bool:
    even = trial.examples.share == "even"
    return even and (trial.name, trial.examples.count, trial.seed) in known


def _short(tried: Results) -> list[Measurement]:
    return [{key: row[key] for key in ("name", "rate", "valid")} for row in tried]


def pretraining(size: Size, task: Task, seed: int, checksums: tuple[str, str]) -> PretrainedStart:
    """Describe what comes before the fine-tuning of a task."""
    sets = tuple(ExampleCounts(count=count) for count in COUNTS[size][task])
    plan: Plan
    if task == "translation":
        valid, tested = JUDGED[size]
        plan = PairsPlan(
            sentences=TEXT[size][task], valid=valid, tested=tested, sets=sets, seed=seed
        )
    else:
        unevenly = (
            ExampleCounts(count=UNEVEN, share="uneven"),
            ExampleCounts(count=UNEVEN, share="evened"),
        )
        labelled, plain = checksums
        plan = ReviewsPlan(
            labelled=labelled, plain=plain, passages=TEXT[size][task], sets=(*sets, *unevenly),
            seed=seed,
        )  # fmt: skip
    return PretrainedStart(
        plan=plan,
        steps=PRETRAINING_STEPS[size][task],
        tokens=2 * TOKENS[task],
        vocabulary=VOCABULARY[task],
        seed=seed,
    )


def trial(
    size: Size, begun: PretrainedStart, start: str, examples: ExampleCounts, rate: float
) -> TuningTrial:
    """Describe one fine-tuning."""
    task = begun.plan.task
    return TuningTrial(
        name=f"{task}, {start}",
        pretraining=begun,
        start=start,
        examples=examples,
        steps=STEPS[size][task],
        rate=rate,
        tokens=TOKENS[task],
        seed=begun.seed,
    )


def tuned_at(size: Size, task: Task) -> list[ExampleCounts]:
    """Return the sets that rates are chosen with: one of the few, and all there is."""
    counts = COUNTS[size][task]
    return [ExampleCounts(count=count) for count in dict.fromkeys((counts[1], counts[-1]))]


def best_rate(tried: Results, name: str) -> float:
    """Return the rate of a start that validated best, on average over the sets it was tried on."""
    own = select(tried, name)
    rates = dict.fromkeys(float(result["rate"]) for result in own)
    return max(
        rates, key=lambda rate: sum(result["valid"] for result in own if result["rate"] == rate)
    )


def measure_pretraining(trial: PretrainedStart, _: Path, *, runs: PretrainedRuns) -> Measurement:
    """Pretrain, and say what that made of the loss on held-out text."""
    losses = [
        min(row["loss"] for row in read_log(run.metrics) if row["kind"] == "validation")
        for run in (RunFolder(runs.begun(trial, start)) for start in (RANDOM, PRETRAINED))
    ]
    return {"before": losses[0], "after": losses[1]}


def measure_trial(trial: TuningTrial, place: Path, *, runs: PretrainedRuns) -> Measurement:
    """Fine-tune one start with one set of examples, and put it to the test."""
    files, begun = runs.files(trial.pretraining), runs.begun(trial.pretraining, trial.start)
    folder = RunFolder(train_in(place, trial.recipe(files, begun)))
    log = [row for row in read_log(folder.metrics) if row["kind"] == "validation"]
    if trial.pretraining.plan.task == "translation":
        return {"valid": max(row["chrf"] for row in log), **translator_scores(folder, files)}
    return {"valid": max(row["macro_f1"] for row in log), **classifier_scores(folder)}


EXPERIMENT = Experiment(
    name="pretraining-pays",
    needs=("imdb-reviews", "rotten-tomatoes"),
    title="Few examples: a pretrained against a random start",
    hypotheses=CLAIMS,
    options=PretrainingOptions,
    measure=measure,
    draw=draw,
)
