"""Does it matter what text a network was pretrained on, or only whether it was?

Two small encoders learn to guess hidden words, one from film reviews (IMDB) and one from articles
(WikiText-2): the same number of words, of steps and of slots, and the same first weights. Then they
and a third, which keeps those first weights, learn from Rotten Tomatoes whether a review is
negative or positive. All three have one vocabulary, learned from equal shares of both texts. With a
vocabulary of its own each network would read the third text in other and more or fewer pieces, and
differ by more than what it was pretrained on; and there is none that a random start would own.

Twice as many words are hidden as BERT hides (30 %), for more to be learned from little text. A
network is pretrained once: the intervals are those of learning the third task, with other texts,
another order and another head for each seed. Every arm's rate is that of four with the most right
answers on validation texts after half the steps, on a split of its own; both pretrainings have the
rate that `recipes/grammar-bert.toml` was tuned to.
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
from dragoman.config.task import MaskedTaskSettings
from dragoman.config.tokenizer import BpeTokenizerSettings
from dragoman.config.training import ObjectiveSettings
from dragoman.core.errors import RunError
from dragoman.core.files import sha256, write_atomic
from dragoman.core.lock import in_turn
from dragoman.data.corpus.labeled import open_labeled
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.engine.checkpoint.weights import read_weights, weights_of
from dragoman.engine.runtime import start as start_runtime
from dragoman.lab.experiment import Experiment, NoOptions, Result
from dragoman.lab.experiments.adaptation.data import (
    REVIEWS,
    Reviews,
    on_this_machine,
    read_reviews,
    review_corpus,
)
from dragoman.lab.experiments.adaptation.experiment import (
    AdaptationTask,
    Baseline,
    fine_tuning,
    measure_bag,
)
from dragoman.lab.experiments.adaptation.verdicts import TOMATOES
from dragoman.lab.experiments.pretraining_domain.data import ARTICLES, FILMS, write_domains
from dragoman.lab.experiments.pretraining_domain.verdicts import CLAIM, RANDOM, decide, draw, tables
from dragoman.lab.results import Measurement, Results
from dragoman.lab.runner import TrialRunner
from dragoman.lab.trial import TrainingTrial, parameter_count, trial_training
from dragoman.tasks.masked_lm.evaluate import evaluate_masked
from dragoman.tasks.open import open_task
from dragoman.tasks.text_classification.classifier import Classifier
from dragoman.tasks.text_classification.evaluate import score_classes
from dragoman.trials.trial import Trial, train_in

ARMS = (FILMS, ARTICLES, RANDOM)
RATES = (1e-4, 3e-4, 1e-3, 3e-3)
TRIAL_SHARE = 2
"""A rate is tried for one step of so many."""
TRIAL_SEED = 0
ROW = 64
"""Tokens of a row, in pretraining and after."""
TOGETHER = 16
"""Reviews of a batch, about."""
NOWHERE = 1e-30
"""A rate at which a step leaves every weight where it was drawn."""
NEW = ("pooler.", "classes_head.")
"""Parts of the classifier that no pretraining can fill."""

NETWORK = EncoderSettings(
    width=128, heads=4, ffn_width=512, layers=3, norm="pre", positions="rotary", dropout=0.0
)


class DomainSizes(Settings):
    """How much is read, and how long."""

    words: int
    """Of each kind of text."""
    vocabulary: int
    pretraining_steps: int
    tokens: int
    """Slots of a batch of pretraining."""
    epochs: int
    reviews: Reviews
    trials: bool
    """Try several rates; otherwise `untried` is taken."""
    untried: float = 1e-3
    network: EncoderSettings = NETWORK


SIZES = {
    "quick": DomainSizes(
        words=60_000,
        vocabulary=2000,
        pretraining_steps=150,
        tokens=1024,
        epochs=3,
        reviews=Reviews(train=400, valid=100, test=300, words=30),
        trials=False,
    ),
    "full": DomainSizes(
        words=1_200_000,
        vocabulary=4000,
        pretraining_steps=2400,
        tokens=1024,
        epochs=4,
        reviews=Reviews(train=2000, valid=400, test=1000, words=30),
        trials=True,
    ),
}


class PretrainingSource(Trial):
    """How one network came to its weights."""

    name: str
    """The kind of text, or that there was none."""
    texts: str
    """Checksum of both kinds of text."""
    network: EncoderSettings
    vocabulary: int
    steps: int
    tokens: int
    rate: float = 3e-3
    share: float = 0.3
    seed: int = 1

    @property
    def title(self) -> str:
        """The line that is printed when it begins."""
        return f"pretraining: {self.name}"

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
        training = trial_training(self.steps, checkpoints=4, lines=20, threads=0)
        return Recipe(
            name="pretrained",
            seed=self.seed,
            task=MaskedTaskSettings(mlm_probability=self.share),
            corpus=TextCorpus(
                train=(files["both" if drawn else self.name],), documents="lines", held_out=0.01
            ),
            tokenizer=BpeTokenizerSettings(vocab_size=self.vocabulary),
            batches=BatchSettings(max_tokens=self.tokens, max_length=ROW),
            start=start,
            model=self.network,
            objective=ObjectiveSettings(label_smoothing=0.0),
            optimizer=AdamW(learning_rate=self.rate),
            schedule=Cosine(warmup_steps=self.steps // 20),
            training=training.model_copy(update={"final": "last"}),
        )


class PretrainingDomainTrial(TrainingTrial):
    """One start, one rate and one seed of the third task."""

    pretraining: PretrainingSource
    reviews: Reviews
    checksum: str
    """Of the file that the reviews are drawn from."""

    def recipe(self, base: Path, corpus: LabeledCorpus) -> Recipe:
        """Return the recipe that goes on from a run."""
        model = self.pretraining.network.model_copy(update={"dropout": 0.1})
        tokenizer = BpeTokenizerSettings(vocab_size=self.pretraining.vocabulary)
        batches = BatchSettings(max_tokens=TOGETHER * 26, max_length=ROW)
        start = FullStart(run=base)
        return fine_tuning(self, "sorted", corpus, model, tokenizer, batches, start)


class PretrainingRuns:
    """The runs that the third task starts from, kept beside the rows."""

    def __init__(self, home: Path, files: dict[str, Path]) -> None:
        self.home, self.files = home, files

    def run(self, pretraining: PretrainingSource) -> Path:
        """Return the run, trained unless it is there already."""
        if pretraining.name != RANDOM:
            self.run(pretraining.blank())
        recipe, place = pretraining.recipe(self.home, self.files), pretraining.folder(self.home)
        with in_turn(place):
            return train_in(place, recipe)


def measure(runner: TrialRunner, _: NoOptions) -> Result:
    """Pretrain, choose each arm's rate, learn the third task with each seed."""
    sizes = SIZES[runner.size]
    texts = runner.folder / f"texts-{sizes.words}"
    files = write_domains(sizes.words, sizes.words // 4, 1, texts)
    runs = PretrainingRuns(runner.folder / "pretrained", files)
    starts = pretrainings(sizes, files)
    review_file = on_this_machine(REVIEWS)
    guessed = write_texts(review_file, texts)
    before = runner.run(
        [*starts.values()], partial(measure_pretraining, runs=runs, reviews=guessed)
    )
    checksum = sha256(review_file)
    steps = max(1, sizes.epochs * sizes.reviews.train // TOGETHER)

    def make(arm: str, rate: float, steps: int, seed: int) -> PretrainingDomainTrial:
        return PretrainingDomainTrial(
            name=arm,
            pretraining=starts[arm],
            reviews=sizes.reviews,
            checksum=checksum,
            rate=rate,
            steps=steps,
            seed=seed,
        )

    tries = [
        make(arm, rate, max(1, steps // TRIAL_SHARE), TRIAL_SEED)
        for arm in ARMS
        for rate in (RATES if sizes.trials else ())
    ]
    tried = runner.run(tries, partial(measure_trial, runs=runs))
    trials = [
        make(arm, chosen_rate(tried, arm, sizes.untried), steps, seed)
        for seed in runner.seeds
        for arm in ARMS
    ]
    results = runner.run(trials, partial(measure_trial, runs=runs))
    base = runs.run(starts[RANDOM])
    task = AdaptationTask(name=TOMATOES, reviews=sizes.reviews, checksum=checksum)
    weights = sha256(RunFolder(base).model)
    bags = [Baseline(task=task, weights=weights, seed=seed) for seed in runner.seeds]
    results += runner.run(bags, partial(measure_bag, base=base))
    return Result(
        results,
        [decide(results)],
        tables(results, before, tried),
        {"pretraining": before, "trials": tried},
    )


def pretrainings(sizes: DomainSizes, files: dict[str, Path]) -> dict[str, PretrainingSource]:
    """Return what each arm starts from."""
    texts = hashlib.sha256("".join(sha256(path) for path in files.values()).encode()).hexdigest()
    one = PretrainingSource(
        name=FILMS,
        texts=texts,
        network=sizes.network,
        vocabulary=sizes.vocabulary,
        steps=sizes.pretraining_steps,
        tokens=sizes.tokens,
    )
    other = one.model_copy(update={"name": ARTICLES})
    return {FILMS: one, ARTICLES: other, RANDOM: one.blank()}


def write_texts(reviews: Path, folder: Path) -> Path:
    """Write the texts of the third task without their classes, to guess hidden words of."""
    path = folder / "third.txt"
    write_atomic(path, "".join(f"{row.text}\n" for row in read_reviews(reviews)[::8]))
    return path


def measure_pretraining(
    pretraining: PretrainingSource, _: Path, *, runs: PretrainingRuns, reviews: Path
) -> Measurement:
    """Pretrain a network, and see how well it guesses words of its own text and of the third."""
    run = runs.run(pretraining)
    log = read_log(RunFolder(run).metrics)
    own, third = (evaluate_masked(run, files)[0] for files in ((), (reviews,)))
    return {
        "tokens_read": sum(one["tokens"] for one in log if one["kind"] == "train"),
        "own_loss": own.nats_per_token,
        "own_accuracy": own.accuracy,
        "third_loss": third.nats_per_token,
        "third_accuracy": third.accuracy,
    }


def chosen_rate(tried: Results, arm: str, untried: float) -> float:
    """Return the rate of an arm with the most right answers; of equals, that of the least loss."""
    own = [result for result in tried if result["name"] == arm]
    best = max(
        own, key=lambda result: (result["valid_accuracy"], -result["valid_loss"]), default=None
    )
    return float(best["rate"]) if best else untried


def measure_trial(
    trial: PretrainingDomainTrial, place: Path, *, runs: PretrainingRuns
) -> Measurement:
    """Learn the third task from a start, after a look at what of it really came over."""
    base, drawn = runs.run(trial.pretraining), runs.run(trial.pretraining.blank())
    rows = read_reviews(on_this_machine(REVIEWS))
    corpus = review_corpus(rows, trial.reviews, trial.seed, place / "texts")
    recipe = trial.recipe(base, corpus)
    came = came_over(recipe, base, drawn, place / "before")
    run = RunFolder(train_in(place, recipe))
    log = read_log(run.metrics)
    classifier = Classifier.load(run.path)
    texts = open_labeled(corpus, trial.seed)
    test = score_classes(classifier, texts.test, "test", texts.classes)
    train = score_classes(classifier, [*texts.train()], "train", texts.classes)
    valid = [row for row in log if row["kind"] == "validation"][-1]
    return {
        **came,
        "parameters": parameter_count(classifier.model),
        "valid_loss": valid["loss"],
        "valid_accuracy": valid["accuracy"],
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
    needs=("imdb-reviews", "wikitext-2", "rotten-tomatoes"),
    title="What a network was pretrained on, and whether it was at all",
    hypotheses=(CLAIM,),
    options=NoOptions,
    measure=measure,
    draw=draw,
)
