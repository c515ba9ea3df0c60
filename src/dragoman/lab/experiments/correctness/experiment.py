"""Can a network learn from spoilt sentences which ones are right, and choose the word for a blank?

Classifiers read sentences of the embedded grammar as they are and spoilt: two neighbours swapped, a
word taken out, doubled or replaced, a verb in the wrong number. Beside them stand models that never
saw a wrong sentence and judge by how likely each token is on average: a GPT, a Kneser–Ney model of
three words, and one that knows how frequent each word is and nothing of its neighbours, which is
what all others must beat; the threshold that parts right from wrong is theirs from the validation
set. Then all rank two sentences that sound alike ("The man pooled a cart"), of frames that were
learned from and of frames that were not.

What is spoilt has two words side by side that no sentence of the corpus has so (but for the verbs),
which suits a model that counts pairs: see its row before those of the others.

All networks but the plain ones of one and of three layers have as many weights outside the
embeddings, to 5 %. One rate serves all: of 1e-3, 2e-3 and 4e-3 the last gave each of five that were
tried (one layer, two, LSTM, encoder, GPT) its lowest loss on validation data, at the quick size
with a seed of its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dragoman.config.batches import BatchSettings
from dragoman.config.cells import LstmCell, RnnCell
from dragoman.config.corpus import LabeledCorpus, TextCorpus
from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.encoder import EncoderSettings
from dragoman.config.model import AnyModel
from dragoman.config.recipe import Recipe
from dragoman.config.recurrent_text import RecurrentClassifierSettings
from dragoman.config.task import ClassificationTaskSettings, LanguageTaskSettings
from dragoman.config.tokenizer import BpeTokenizerSettings
from dragoman.core.lock import in_turn
from dragoman.data.corpus.generators.corruptions import KINDS, CorruptedSentence
from dragoman.data.corpus.generators.homophones import Homophones
from dragoman.lab.baselines.counted_words import CountedWords
from dragoman.lab.experiment import Experiment, NoOptions, Result, ResultTable
from dragoman.lab.experiments.correctness.data import (
    CorrectnessCorpus,
    CorrectnessSampling,
    draw_sentences,
)
from dragoman.lab.experiments.correctness.verdicts import (
    CLAIMS,
    ENCODER,
    FREQUENCY,
    GPT,
    LSTM,
    N_GRAM,
    NAMES,
    RNN_1,
    RNN_2,
    RNN_3,
    RNN_WIDE,
    decide,
)
from dragoman.lab.results import Measurement, Results, figures, select, spread_of
from dragoman.lab.runner import TrialRunner
from dragoman.lab.spread import spread
from dragoman.lab.trial import TrainingTrial, parameter_count, trial_training
from dragoman.metrics.classification import classification_scores
from dragoman.metrics.ranking import area_under_curve, best_threshold
from dragoman.plots.lab import Bars, draw_panels
from dragoman.tasks.language_model.language_model import LanguageModel
from dragoman.tasks.text_classification.classifier import Classifier
from dragoman.trials.trial import train_in


def _rnn(layers: int = 1, width: int = 128) -> RecurrentClassifierSettings:
    return RecurrentClassifierSettings(
        cell=RnnCell(),
        embedding_width=64,
        width=width,
        layers=layers,
        bidirectional=False,
        pooling="max",
    )


MODELS: dict[str, AnyModel] = {
    RNN_1: _rnn(),
    RNN_2: _rnn(layers=2),
    RNN_3: _rnn(layers=3),
    RNN_WIDE: _rnn(width=209),
    LSTM: RecurrentClassifierSettings(
        cell=LstmCell(), embedding_width=64, width=91, bidirectional=False, pooling="max"
    ),
    ENCODER: EncoderSettings(
        width=64, heads=4, ffn_width=80, layers=2, norm="pre", positions="rotary", dropout=0.1
    ),
    GPT: DecoderOnlySettings(
        width=64, heads=4, ffn_width=96, layers=2, positions="rotary", dropout=0.1
    ),
}
VOCABULARY = 2000
ORDERS = {N_GRAM: 3, FREQUENCY: 1}
"""Words of the longest n-gram of the models that count."""
STEPS = {"quick": 300, "full": 850}
SIZES = {
    "quick": CorrectnessSampling(train=4000, held_out=250, homophones=500, pairs=150, seed=0),
    "full": CorrectnessSampling(train=12_000, held_out=750, homophones=1500, pairs=300, seed=0),
}


class CorrectnessTrial(TrainingTrial):
    """One way to judge sentences, one seed."""

    model: AnyModel | None
    """None is a model that counts."""
    sentences: CorrectnessSampling
    rate: float = 4e-3
    tokens: int = 1024
    """Padded tokens of a batch."""

    def recipe(self, drawn: CorrectnessCorpus, model: AnyModel) -> Recipe:
        """Return the recipe that trains it: on all sentences, or on the right ones."""
        parts = ("train", "valid", "test")
        task: LanguageTaskSettings | ClassificationTaskSettings
        corpus: LabeledCorpus | TextCorpus
        if model.kind == "decoder-only":
            train, valid, test = ((drawn.text(name),) for name in parts)
            corpus = TextCorpus(train=train, valid=valid, test=test, documents="lines")
            task = LanguageTaskSettings()
        else:
            train, valid, test = ((drawn.table(name),) for name in parts)
            corpus = LabeledCorpus(train=train, valid=valid, test=test)
            task = ClassificationTaskSettings()
        training = trial_training(self.steps, validations=5, checkpoints=5, threads=0)
        return self.recipe_of(
            "correctness",
            task,
            corpus,
            model,
            tokenizer=BpeTokenizerSettings(vocab_size=VOCABULARY),
            batches=BatchSettings(max_tokens=self.tokens, max_length=64),
            training=training.model_copy(update={"log_every": training.validate_every}),
        )


@dataclass(frozen=True)
class Judge:
    """Something that says how right texts are; higher is better."""

    correctness: Callable[[Sequence[str]], list[float]]
    likelihood: Callable[[Sequence[str]], list[float]]
    """By which two texts are ranked that differ in one word."""
    parameters: int
    threshold: float | None = None
    """None where it is to be found on the validation set."""


def measure(runner: TrialRunner, _: NoOptions) -> Result:
    """Train every model with each seed, and judge the same sentences with them."""
    trials = [
        CorrectnessTrial(
            name=name,
            model=MODELS.get(name),
            sentences=SIZES[runner.size].model_copy(update={"seed": seed}),
            steps=STEPS[runner.size],
            seed=seed,
        )
        for seed in runner.seeds
        for name in NAMES
    ]

    def measured(trial: CorrectnessTrial, place: Path) -> Measurement:
        folder = runner.folder / f"sentences-{trial.seed}"
        with in_turn(folder):
            drawn = draw_sentences(trial.sentences, folder)
        return measure_trial(trial, place, drawn)

    results = runner.run(trials, measured)
    return Result(results, decide(results), tables(results))


def measure_trial(trial: CorrectnessTrial, place: Path, drawn: CorrectnessCorpus) -> Measurement:
    """Train one model, and see how it tells right from wrong and ranks what sounds alike."""
    one = make_judge(trial, place, drawn)
    valid, test = drawn.read_corruptions("valid"), drawn.read_corruptions("test")
    of_valid = one.correctness([row.text for row in valid])
    threshold = one.threshold
    if threshold is None:
        threshold = best_threshold(of_valid, _right(valid))
    scores = one.correctness([row.text for row in test])
    called = ["right" if score > threshold else "wrong" for score in scores]
    whole = classification_scores(called, [row.label for row in test])
    right = [score for score, row in zip(scores, test, strict=True) if row.label == "right"]
    kinds = {}
    for kind in KINDS:
        bad = [score for score, row in zip(scores, test, strict=True) if row.kind == kind]
        kinds[kind] = {
            "texts": len(bad),
            "found": sum(score <= threshold for score in bad) / max(1, len(bad)),
            "auc": _auc(right, bad),
        }
    return {
        "parameters": one.parameters,
        "auc": area_under_curve(scores, _right(test)),
        "valid_auc": area_under_curve(of_valid, _right(valid)),
        "accuracy": whole.accuracy,
        "macro_f1": whole.macro_f1,
        "majority": max(sum(_right(test)), len(test) - sum(_right(test))) / len(test),
        "kinds": kinds,
        "seen": ranked_right(one, drawn.pairs("seen")),
        "unseen": ranked_right(one, drawn.pairs("unseen")),
    }


def make_judge(trial: CorrectnessTrial, place: Path, drawn: CorrectnessCorpus) -> Judge:
    """Train what judges."""
    if trial.model is None:
        return _counted(drawn, ORDERS[trial.name])
    run = train_in(place, trial.recipe(drawn, trial.model))
    if trial.model.kind == "decoder-only":
        writer = LanguageModel.load(run)
        return Judge(
            lambda texts: [one.per_token for one in writer.score(texts)],
            lambda texts: [one.total for one in writer.score(texts)],
            parameter_count(writer.model),
        )
    classifier = Classifier.load(run)

    def probabilities(texts: Sequence[str]) -> list[float]:
        return [one.probabilities["right"] for one in classifier.classify(texts)]

    count = parameter_count(classifier.model)
    return Judge(probabilities, probabilities, count, threshold=0.5)


def _counted(drawn: CorrectnessCorpus, order: int) -> Judge:
    """Count the words of the right sentences."""
    texts = drawn.text("train").read_text(encoding="utf-8").splitlines()
    model = CountedWords(texts, order)
    return Judge(
        lambda given: [float(each.mean()) for each in model.score(given)],
        lambda given: [float(each.sum()) for each in model.score(given)],
        model.parameters,
    )


def ranked_right(one: Judge, pairs: Sequence[Homophones]) -> float:
    """Return how often the right sentence of a pair is the better one; a tie counts half."""
    good = one.likelihood([pair.good for pair in pairs])
    bad = one.likelihood([pair.bad for pair in pairs])
    return sum((a > b) + (a == b) / 2 for a, b in zip(good, bad, strict=True)) / len(pairs)


def tables(results: Results) -> list[ResultTable]:
    """Return the whole, and the kinds of corruption."""
    whole = [
        (
            name,
            f"{select(results, name)[0]['parameters']:,}",
            *(spread_of(results, name, key).written(3) for key in WHOLE),
            f"{spread_of(results, name, 'seconds').mean:.0f}",
        )
        for name in NAMES
    ]
    majority = select(results, RNN_1)[0]["majority"]
    by_kind = [
        (name, *(spread(_of_kind(results, name, kind)).written(3) for kind in KINDS))
        for name in NAMES
    ]
    return [
        ResultTable(
            "Right or wrong, and which of two that sound alike",
            ("decide", "parameters", "AUC", "accuracy", "macro-F1", "ranked", "new frames", "s"),
            whole,
            f"Always calling them right: accuracy {majority:.3f}. The {GPT}, the {N_GRAM} and the "
            f"{FREQUENCY} saw right sentences only. Parameters of the latter two: counts.",
        ),
        ResultTable("AUC by what was done to a sentence", ("decide", *KINDS), by_kind),
    ]


WHOLE = ("auc", "accuracy", "macro_f1", "seen", "unseen")


def draw(result: Result, path: Path) -> None:
    """Draw the areas, and the shares of blanks that are filled rightly."""
    results = result.measurements
    titles = (
        ("auc", "AUC, right against spoilt sentences"),
        ("accuracy", "accuracy"),
        ("seen", "the right one of two homophones ranked first, frames learned from"),
        ("unseen", "the same, other frames"),
    )
    shown = [name for name in NAMES if name != FREQUENCY]
    panels = [
        Bars(
            title,
            shown,
            [figures(results, name, key) for name in shown],
            spread_of(results, FREQUENCY, key).mean,
            FREQUENCY,
        )
        for key, title in titles
    ]
    draw_panels(panels, path, "Which sentences are right?")


def _right(rows: Sequence[CorruptedSentence]) -> list[bool]:
    return [row.label == "right" for row in rows]


def _auc(right: Sequence[float], wrong: Sequence[float]) -> float:
    """Return the area; without anything wrong there is nothing to tell apart."""
    if not wrong:
        return 0.5
    return area_under_curve([*right, *wrong], [True] * len(right) + [False] * len(wrong))


def _of_kind(results: Results, name: str, kind: str) -> list[float]:
    return [float(result["kinds"][kind]["auc"]) for result in select(results, name)]


EXPERIMENT = Experiment(
    name="correctness",
    title="Right sentences and spoilt ones: classifiers and language models",
    hypotheses=CLAIMS,
    options=NoOptions,
    measure=measure,
    draw=draw,
    seeds=tuple(range(11, 17)),
)
