"""Does it matter what text a network was pretrained on, or only whether it was?

Two small encoders learn to guess hidden words, one from sentences of the kind that it will be asked
about, one from English sentences of another kind: the same number of words, of steps and of tokens,
and the same first weights. Then they and a third, which keeps those first weights, learn from few
labelled sentences of the first kind what number a subject has, before its verb is read. All three
have one vocabulary, that of both texts. With one of its own each network would know other words of
the third text, and differ by more than what it was pretrained on; and there is none that a random
start would own.

Every seed has its own texts, first weights and pretraining. Rates and steps are set beforehand:
those of the experiment `pretraining-pays`.
"""

import hashlib
from functools import partial
from pathlib import Path

import torch

from dragoman.config.batches import BatchSettings
from dragoman.config.corpus import LabeledCorpus, TextCorpus
from dragoman.config.encoder import EncoderSettings
from dragoman.config.optimizer import AdamW
from dragoman.config.recipe import Recipe
from dragoman.config.schedule import Cosine
from dragoman.config.settings import Settings
from dragoman.config.start import FullStart
from dragoman.config.task import ClassificationTaskSettings, MaskedTaskSettings
from dragoman.config.tokenizer import WordTokenizerSettings
from dragoman.config.training import ObjectiveSettings
from dragoman.core.errors import RunError
from dragoman.core.lock import in_turn
from dragoman.data.corpus.labeled import open_labeled
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.engine.checkpoint.weights import read_weights, weights_of
from dragoman.engine.runtime import start as start_runtime
from dragoman.lab.experiment import Experiment, NoOptions, Result
from dragoman.lab.experiments.pretraining_domain.data import BOTH, FAR, NEAR, write_kinds
from dragoman.lab.experiments.pretraining_domain.verdicts import CLAIM, RANDOM, decide, draw, tables
from dragoman.lab.experiments.pretraining_pays.data import (
    ExampleCounts,
    Gathered,
    SentencesPlan,
    Task,
)
from dragoman.lab.results import Measurement
from dragoman.lab.runner import TrialRunner
from dragoman.lab.trial import TrainingTrial, parameter_count, trial_training
from dragoman.tasks.masked_lm.evaluate import evaluate_masked
from dragoman.tasks.open import open_task
from dragoman.tasks.text_classification.classifier import Classifier
from dragoman.tasks.text_classification.evaluate import score_classes
from dragoman.trials.trial import Trial, train_in

ARMS = (NEAR, FAR, RANDOM)
RATES = {NEAR: 3e-3, FAR: 3e-3, RANDOM: 1e-3}
"""Of the third task."""
TASK: Task = "number"
ROW = 32
"""Tokens of a row, in pretraining and after."""
TOKENS = 512
"""Padded tokens of a batch of the third task."""
NOWHERE = 1e-30
"""A rate at which a step leaves every weight where it was drawn."""
NEW = ("pooler.", "classes_head.")
"""Parts of the classifier that no pretraining can fill."""

NETWORK = EncoderSettings(
    width=64, heads=4, ffn_width=256, layers=2, norm="pre", positions="rotary", dropout=0.0
)


class DomainSizes(Settings):
    """How much is read, and how long."""

    sentences: int
    """Of the kind that is asked about; of the other kind there are as many words."""
    pretraining_steps: int
    tokens: int
    """Padded tokens of a batch of pretraining."""
    steps: int
    """Of the third task."""
    examples: int
    """Labelled sentences."""
    valid: int
    tested: int
    network: EncoderSettings = NETWORK

    def plan(self, seed: int) -> SentencesPlan:
        """Return what is drawn for a seed."""
        return SentencesPlan(
            sentences=self.sentences,
            valid=self.valid,
            tested=self.tested,
            sets=(ExampleCounts(count=self.examples),),
            seed=seed,
        )


SIZES = {
    "quick": DomainSizes(
        sentences=6000, pretraining_steps=800, tokens=1024, steps=120, examples=40, valid=100,
        tested=400,
    ),
    "full": DomainSizes(
        sentences=8000, pretraining_steps=1000, tokens=1024, steps=150, examples=40, valid=200,
        tested=600,
    ),
}  # fmt: skip


class PretrainingSource(Trial):
    """How one network came to its weights."""

    name: str
    """The kind of text, or that there was none."""
    texts: str
    """What they are drawn by."""
    network: EncoderSettings
    steps: int
    tokens: int
    rate: float = 3e-3
    share: float = 0.15
    seed: int = 1

    @property
    def title(self) -> str:
        """The line that is printed when it begins."""
        return f"pretraining: {self.name}, seed {self.seed}"

    def blank(self) -> "PretrainingSource":
        """Return the same without any text: the weights as they are drawn."""
        return self.model_copy(update={"name": RANDOM, "steps": 1, "rate": NOWHERE})

    def folder(self, home: Path) -> Path:
        """Return where its run stands: a place of its own for each settings."""
        digest = hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:12]
        return home / digest

    def recipe(self, home: Path, files: dict[str, Path]) -> Recipe:
        """Return the recipe; what is pretrained starts from the weights as they were drawn."""
        drawn = self.name == RANDOM
        start = None if drawn else FullStart(run=self.blank().folder(home) / "pretrained")
        training = trial_training(self.steps, checkpoints=4, lines=20)
        return Recipe(
            name="pretrained",
            seed=self.seed,
            task=MaskedTaskSettings(mlm_probability=self.share),
            corpus=TextCorpus(
                train=(files[BOTH if drawn else self.name],), documents="lines", held_out=0.01
            ),
            tokenizer=WordTokenizerSettings(),
            batches=BatchSettings(max_tokens=self.tokens, max_length=ROW),
            start=start,
            model=self.network,
            objective=ObjectiveSettings(label_smoothing=0.0),
            optimizer=AdamW(learning_rate=self.rate),
            schedule=Cosine(warmup_steps=self.steps // 20),
            training=training.model_copy(update={"final": "last"}),
        )


class PretrainingDomainTrial(TrainingTrial):
    """One start of the third task, one seed."""

    pretraining: PretrainingSource
    plan: SentencesPlan

    def recipe(self, base: Path, files: Gathered) -> Recipe:
        """Return the recipe that goes on from a run."""
        (examples,) = self.plan.sets
        corpus = LabeledCorpus(
            train=(files.examples(TASK, examples),),
            valid=(files.valid(TASK),),
            test=(files.test(TASK),),
        )
        training = trial_training(self.steps, validations=5, checkpoints=1, lines=5)
        recipe = self.recipe_of(
            "sorted",
            ClassificationTaskSettings(),
            corpus,
            self.pretraining.network.model_copy(update={"dropout": 0.1}),
            tokenizer=WordTokenizerSettings(),
            batches=BatchSettings(max_tokens=TOKENS, max_length=ROW),
            training=training.model_copy(update={"best_metric": "macro_f1"}),
        )
        return recipe.model_copy(update={"start": FullStart(run=base)})


class PretrainingRuns:
    """The runs that the third task starts from, and the texts of each seed, beside the rows."""

    def __init__(self, home: Path, sizes: DomainSizes) -> None:
        self.home, self.sizes = home, sizes

    def texts(self, seed: int) -> tuple[Gathered, dict[str, Path]]:
        """Return the texts of a seed, written unless they are there already."""
        folder = self.home / f"texts-{self.sizes.sentences}-{seed}"
        with in_turn(folder):
            return write_kinds(self.sizes.plan(seed), folder)

    def run(self, pretraining: PretrainingSource) -> Path:
        """Return the run, trained unless it is there already."""
        if pretraining.name != RANDOM:
            self.run(pretraining.blank())
        _, files = self.texts(pretraining.seed)
        recipe, place = pretraining.recipe(self.home, files), pretraining.folder(self.home)
        with in_turn(place):
            return train_in(place, recipe)


def measure(runner: TrialRunner, _: NoOptions) -> Result:
    """Pretrain, then learn the third task, with each seed."""
    sizes = SIZES[runner.size]
    runs = PretrainingRuns(runner.folder / "pretrained", sizes)
    starts = [one for seed in runner.seeds for one in pretrainings(sizes, seed)]
    before = runner.run(starts, partial(measure_pretraining, runs=runs))
    trials = [
        PretrainingDomainTrial(
            name=start.name,
            pretraining=start,
            plan=sizes.plan(start.seed),
            rate=RATES[start.name],
            steps=sizes.steps,
            seed=start.seed,
        )
        for start in starts
    ]
    results = runner.run(trials, partial(measure_trial, runs=runs))
    tables_ = tables(results, before)
    return Result(results, [decide(results)], tables_, {"pretraining": before})


def pretrainings(sizes: DomainSizes, seed: int) -> list[PretrainingSource]:
    """Return what the arms of a seed start from."""
    one = PretrainingSource(
        name=NEAR,
        texts=sizes.plan(seed).model_dump_json(),
        network=sizes.network,
        steps=sizes.pretraining_steps,
        tokens=sizes.tokens,
        seed=seed,
    )
    return [one, one.model_copy(update={"name": FAR}), one.blank()]


def measure_pretraining(
    pretraining: PretrainingSource, place: Path, *, runs: PretrainingRuns
) -> Measurement:
    """Pretrain a network, and see how well it guesses words of its own text and of the third."""
    run = runs.run(pretraining)
    gathered, _ = runs.texts(pretraining.seed)
    third = place / "third.txt"
    rows = (line.split("\t") for line in gathered.test("verb").read_text("utf-8").splitlines())
    third.write_text("".join(f"{text}\n" for text, label in rows if label == "right"), "utf-8")
    log = read_log(RunFolder(run).metrics)
    own, asked = (evaluate_masked(run, files)[0] for files in ((), (third,)))
    return {
        "tokens_read": sum(one["tokens"] for one in log if one["kind"] == "train"),
        "own_loss": own.nats_per_token,
        "own_accuracy": own.accuracy,
        "third_loss": asked.nats_per_token,
        "third_accuracy": asked.accuracy,
    }


def measure_trial(
    trial: PretrainingDomainTrial, place: Path, *, runs: PretrainingRuns
) -> Measurement:
    """Learn the third task from a start, after a look at what of it really came over."""
    base, drawn = runs.run(trial.pretraining), runs.run(trial.pretraining.blank())
    files, _ = runs.texts(trial.seed)
    recipe = trial.recipe(base, files)
    came = came_over(recipe, base, drawn, place / "before")
    run = RunFolder(train_in(place, recipe))
    log = read_log(run.metrics)
    classifier = Classifier.load(run.path)
    texts = open_labeled(recipe.corpus_for(ClassificationTaskSettings), trial.seed)
    test = score_classes(classifier, texts.test, "test", texts.classes)
    train = score_classes(classifier, [*texts.train()], "train", texts.classes)
    return {
        **came,
        "parameters": parameter_count(classifier.model),
        "tested": test.texts,
        "valid_accuracy": max(row["accuracy"] for row in log if row["kind"] == "validation"),
        "train_accuracy": train.accuracy,
        "test_accuracy": test.accuracy,
        "test_macro_f1": test.whole.macro_f1,
        "test_majority": test.baseline.accuracy,
        "training_seconds": sum(row["seconds"] for row in log if row["kind"] == "train"),
    }


def came_over(recipe: Recipe, base: Path, drawn: Path, place: Path) -> Measurement:
    """Count the tensors that a network has from pretraining before its first step.

    It is opened as training opens it. A tensor is from pretraining if it has the bits of the
    pretrained one, and these are not those that were drawn at random. Where some should be, all
    of the encoder's must have come over, and some must differ from what was drawn.
    """
    task = open_task(RunFolder(place), recipe, start_runtime(recipe.training), fresh=True)
    own = {n: t for n, t in weights_of(task.objective.model).items() if not n.startswith(NEW)}
    given, random = (read_weights(RunFolder(run).model).tensors for run in (base, drawn))
    same = [name for name, t in own.items() if name in given and torch.equal(t, given[name])]
    learned = [name for name in same if not torch.equal(given[name], random[name])]
    if len(same) < len(own):
        raise RunError(
            f"{base}: only {len(same)} of the encoder's {len(own)} tensors came over from it."
        )
    if not learned and base != drawn:
        raise RunError(f"{base}: none of its tensors differs from what was drawn at random.")
    size = sum(tensor.numel() for tensor in own.values())
    return {
        "encoder_tensors": len(own),
        "tensors_pretrained": len(learned),
        "share_pretrained": sum(own[name].numel() for name in learned) / size,
    }


EXPERIMENT = Experiment(
    name="pretraining-domain",
    title="What a network was pretrained on, and whether it was at all",
    hypotheses=(CLAIM,),
    options=NoOptions,
    measure=measure,
    draw=draw,
    seeds=tuple(range(21, 29)),
    quick_seeds=tuple(range(21, 25)),
)
