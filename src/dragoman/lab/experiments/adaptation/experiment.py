"""How a pretrained network is adapted: all of it, its new head alone, LoRA, or a prefix.

The network is all-MiniLM-L6-v2 as it was published. It learns two things: the sign of a sum in
words, with the 448 and 192 rows of the notes (and 160 that are neither trained nor chosen on), and
whether a short film review is negative or positive, from few reviews. LoRA of rank 8 and a prefix
of 16 train equally many weights. Every arm has the same texts, batches and steps. Its rate is, of
three, each about three times the one before, the one with the lowest validation loss after half of
the steps of an earlier run, on a split of its own. The last weights are taken.
"""

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import fmean

import torch
from safetensors.torch import load_file

from dragoman.config.batches import BatchSettings
from dragoman.config.corpus import GeneratedLabels, LabeledSettings
from dragoman.config.model import AnyModel
from dragoman.config.optimizer import AdamW
from dragoman.config.reading import read_recipe
from dragoman.config.recipe import Recipe
from dragoman.config.schedule import Cosine
from dragoman.config.settings import Settings
from dragoman.config.start import FrozenStart, FullStart, LoraStart, PrefixStart, StartSettings
from dragoman.config.task import ClassificationTaskSettings
from dragoman.config.tokenizer import TokenizerSettings
from dragoman.core.errors import RunError
from dragoman.core.files import sha256
from dragoman.data.corpus.labeled import open_labeled
from dragoman.data.formats.labeled import LabeledText
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.engine.build import build_classifier
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.engine.checkpoint.state import newest_state
from dragoman.engine.checkpoint.weights import read_weights
from dragoman.lab.baselines.bag_of_words import BagOfWords
from dragoman.lab.experiment import Experiment, NoOptions, Result
from dragoman.lab.experiments.adaptation.data import (
    REVIEWS,
    Reviews,
    import_network,
    on_this_machine,
    read_reviews,
    review_corpus,
)
from dragoman.lab.experiments.adaptation.verdicts import (
    ARITHMETIC,
    BAG,
    CLAIMS,
    FROZEN,
    FULL,
    LORA,
    PREFIX,
    TOMATOES,
    draw,
    findings,
    tables,
)
from dragoman.lab.results import Measurement
from dragoman.lab.runner import TrialRunner
from dragoman.lab.trial import ModelTrial, TrainingTrial, parameter_count, trial_training
from dragoman.metrics.classification import classification_scores, majority
from dragoman.neural.adapt.adapting import adapt
from dragoman.neural.adapt.parts import trainable_count
from dragoman.tasks.text_classification.classifier import Classifier
from dragoman.tasks.text_classification.evaluate import score_classes
from dragoman.trials.trial import train_in

RATES = {
    ARITHMETIC: {FROZEN: 1e-1, FULL: 3e-4, LORA: 3e-3, PREFIX: 3e-2},
    TOMATOES: {FROZEN: 1e-1, FULL: 1e-4, LORA: 3e-3, PREFIX: 3e-2},
}
TOGETHER = {ARITHMETIC: 16, TOMATOES: 8}
"""Texts of a batch, about."""
TOKENS = {ARITHMETIC: 5, TOMATOES: 15}
"""Of a text, about."""
LONGEST = 32
DECAYS = (0.1, 0.3, 1.0, 3.0)
"""Of a bag of words, chosen on the validation set as well."""
NEW = ("classes_head",)
"""What the published network lacks."""


class AdaptationSizes(Settings):
    """How much is learned from, and how long."""

    arithmetic_epochs: int
    review_epochs: int
    reviews: Reviews


SIZES = {
    "quick": AdaptationSizes(
        arithmetic_epochs=4,
        review_epochs=2,
        reviews=Reviews(train=160, valid=64, test=160),
    ),
    "full": AdaptationSizes(
        arithmetic_epochs=6,
        review_epochs=3,
        reviews=Reviews(train=512, valid=160, test=480),
    ),
}


class AdaptationTask(Settings):
    """Something to learn."""

    name: str
    reviews: Reviews | None = None
    checksum: str = ""
    """Of the file that they are drawn from."""

    @property
    def texts(self) -> int:
        """How many texts are trained on."""
        return self.reviews.train if self.reviews else 448

    @property
    def slots(self) -> int:
        """Room of a batch in tokens."""
        return TOGETHER[self.name] * TOKENS[self.name]

    def corpus(self, seed: int, folder: Path) -> LabeledSettings:
        """Return the sets of a seed; reviews are drawn into a folder."""
        if self.reviews is None:
            return GeneratedLabels(task="arithmetic")
        return review_corpus(read_reviews(on_this_machine(REVIEWS)), self.reviews, seed, folder)


class AdaptationTrial(TrainingTrial):
    """One way to adapt the network to one task, at one rate and with one seed."""

    task: AdaptationTask
    weights: str
    """Checksum of the network."""

    @property
    def title(self) -> str:
        """The line that is printed when it begins."""
        return f"{self.task.name}, {super().title}"

    def recipe(self, base: Path, corpus: LabeledSettings) -> Recipe:
        """Return the recipe that adapts the network."""
        before = read_recipe(base / "recipe.toml")
        batches = BatchSettings(max_tokens=self.task.slots, max_length=LONGEST)
        start = start_of(self.name, base)
        return fine_tuning(self, "adapted", corpus, before.model, before.tokenizer, batches, start)


class Baseline(ModelTrial):
    """A bag of words with one seed."""

    name: str = BAG
    task: AdaptationTask
    weights: str
    """Checksum of the network whose tokens it counts."""

    @property
    def title(self) -> str:
        """The line that is printed when it begins."""
        return f"{self.task.name}, {super().title}"


def fine_tuning(
    trial: TrainingTrial,
    name: str,
    corpus: LabeledSettings,
    model: AnyModel,
    tokenizer: TokenizerSettings,
    batches: BatchSettings,
    start: StartSettings,
) -> Recipe:
    """Return a recipe that learns classes from a start, and takes the last weights."""
    training = trial_training(trial.steps, validations=1, checkpoints=1, lines=8, threads=0)
    recipe = trial.recipe_of(
        name,
        ClassificationTaskSettings(),
        corpus,
        model,
        tokenizer=tokenizer,
        batches=batches,
        training=training.model_copy(update={"final": "last"}),
    )
    return recipe.model_copy(
        update={
            "start": start,
            "optimizer": AdamW(learning_rate=trial.rate, betas=(0.9, 0.999)),
            "schedule": Cosine(warmup_steps=max(1, trial.steps // 10)),
        }
    )


def start_of(arm: str, base: Path) -> StartSettings:
    """Return what an arm trains of a network."""
    match arm:
        case "frozen":
            return FrozenStart(run=base)
        case "full":
            return FullStart(run=base)
        case "LoRA":
            return LoraStart(run=base, rank=8, alpha=16.0)
        case _:
            return PrefixStart(run=base, length=16)


def tasks_of(sizes: AdaptationSizes) -> list[AdaptationTask]:
    """Return the two tasks."""
    checksum = sha256(on_this_machine(REVIEWS))
    return [
        AdaptationTask(name=ARITHMETIC),
        AdaptationTask(name=TOMATOES, reviews=sizes.reviews, checksum=checksum),
    ]


def measure(runner: TrialRunner, _: NoOptions) -> Result:
    """Adapt the network in each way with each seed, and judge all on the same tests."""
    sizes = SIZES[runner.size]
    base = import_network(runner.folder)
    weights = sha256(RunFolder(base).model)
    tasks = tasks_of(sizes)
    steps = {
        task.name: max(1, epochs * task.texts // TOGETHER[task.name])
        for task, epochs in zip(tasks, (sizes.arithmetic_epochs, sizes.review_epochs), strict=True)
    }
    trials = [
        AdaptationTrial(
            name=arm,
            task=task,
            weights=weights,
            rate=rate,
            steps=steps[task.name],
            seed=seed,
        )
        for seed in runner.seeds
        for task in tasks
        for arm, rate in RATES[task.name].items()
    ]
    results = runner.run(trials, partial(measure_trial, base=base))
    bags = [Baseline(task=task, weights=weights, seed=s) for s in runner.seeds for task in tasks]
    results += runner.run(bags, partial(measure_bag, base=base))
    return Result(results, findings(results), tables(results))


def measure_trial(trial: AdaptationTrial, place: Path, *, base: Path) -> Measurement:
    """Adapt the network, judge it on every set, and see which of its weights are as they were."""
    recipe = trial.recipe(base, trial.task.corpus(trial.seed, place / "texts"))
    run = RunFolder(train_in(place, recipe))
    classifier = Classifier.load(run.path)
    texts = open_labeled(recipe.corpus_for(ClassificationTaskSettings), recipe.seed)
    train = [*texts.train()]
    row: Measurement = {}
    for name, rows in (("train", train), ("valid", texts.valid), ("test", texts.test)):
        judged = score_classes(classifier, rows, name, texts.classes)
        row[f"{name}_accuracy"] = judged.accuracy
        row[f"{name}_macro_f1"] = judged.whole.macro_f1
        row[f"{name}_majority"] = judged.baseline.accuracy
        row[f"{name}_loss"] = fmean(
            -math.log(max(one.probabilities[true.label], 1e-30))
            for one, true in zip(judged.answers, rows, strict=True)
        )
    logged = [one for one in read_log(run.metrics) if one["kind"] == "train"]
    seen = sum(one["tokens"] for one in logged)
    epochs = seen / tokens_in(classifier, train)
    seconds = sum(one["seconds"] for one in logged)
    return {
        **row,
        **parameters(recipe, classifier, base),
        **kept(run, base, recipe.start),
        "epochs": epochs,
        "seconds_per_epoch": seconds / epochs,
    }


def tokens_in(classifier: Classifier, rows: Sequence[LabeledText]) -> int:
    """Return how many tokens are read of some texts, the marks around each included."""
    encoded = classifier.tokenizer.encode_batch([row.text for row in rows])
    return sum(min(len(ids) + 2, LONGEST) for ids in encoded)


def parameters(recipe: Recipe, classifier: Classifier, base: Path) -> Measurement:
    """Return how many numbers there are, and how many of them are trained."""
    vocabulary = TokenizerPair.load(RunFolder(base).tokenizer).source
    with torch.device("meta"):
        network = build_classifier(
            recipe.model_for(ClassificationTaskSettings),
            vocabulary,
            len(classifier.classes),
            recipe.seed,
        )
        whole = parameter_count(network)
        if recipe.start is not None:
            adapt(network, recipe.start, NEW)
    return {"trained": trainable_count(network), "parameters": whole}


def kept(run: RunFolder, base: Path, start: StartSettings | None) -> Measurement:
    """Compare the weights after the last step with those before the first, bit by bit.

    LoRA's differences are not yet added to them there. Only full adaptation may change any.
    """
    state = newest_state(run.states)
    if state is None:
        raise RunError(f"{run.path}: the state after its last step is gone. Run it again.")
    after = load_file(state / "model.safetensors")
    before = {
        name: tensor
        for name, tensor in read_weights(RunFolder(base).model).tensors.items()
        if name in after
    }
    same = [name for name, tensor in before.items() if torch.equal(tensor, after[name])]
    changed = sorted(before.keys() - set(same))
    if not before or (changed and not isinstance(start, FullStart)):
        raise RunError(
            f"{run.path}: of {len(before)} tensors that should have been left alone, "
            f"{len(changed)} have changed {changed[:3]}."
        )
    return {"base_tensors": len(before), "base_unchanged": len(same)}


def measure_bag(trial: Baseline, place: Path, *, base: Path) -> Measurement:
    """Fit bags of words, and judge the one that is best on the validation set."""
    texts = open_labeled(trial.task.corpus(trial.seed, place / "texts"), trial.seed)
    vocabulary = TokenizerPair.load(RunFolder(base).tokenizer).source
    sets = {"train": [*texts.train()], "valid": texts.valid, "test": texts.test}
    ids = {name: vocabulary.encode_batch([r.text for r in rows]) for name, rows in sets.items()}
    labels = {name: [row.label for row in rows] for name, rows in sets.items()}
    names = sorted(texts.classes)
    fitted = [
        BagOfWords(vocabulary.size, decay=decay).fit(ids["train"], labels["train"])
        for decay in DECAYS
    ]
    best = max(
        fitted,
        key=lambda one: (
            classification_scores(one.predict(ids["valid"]), labels["valid"], names).accuracy
        ),
    )
    row: Measurement = {"decay": best.decay, "trained": best.weights.numel() + best.bias.numel()}
    for name in sets:
        judged = classification_scores(best.predict(ids[name]), labels[name], names)
        row[f"{name}_accuracy"] = judged.accuracy
        row[f"{name}_macro_f1"] = judged.macro_f1
        always = majority(labels[name], labels["train"], names)
        row[f"{name}_majority"] = always.accuracy
        row[f"{name}_majority_macro_f1"] = always.macro_f1
    return row


EXPERIMENT = Experiment(
    name="adaptation",
    needs=("minilm", "rotten-tomatoes"),
    title="Adapting a pretrained network: frozen, full, LoRA and a prefix",
    hypotheses=CLAIMS,
    options=NoOptions,
    measure=measure,
    draw=draw,
    seeds=tuple(range(11, 19)),
    quick_seeds=(11,),
)
