"""Do two sentences say the same? A convolutional network, a recurrent one and a bag of words.

    ana came in 2015 , tom came in 2018 .    in 2018 came tom , in 2015 came ana .

Both networks learn from the same mixture: the second sentence in the order of the first or with its
parts exchanged, with 0 to 4 words between a name and its year. They have as many weights outside of
the embeddings, to 2 %, and each the learning rate that suits it best on validation pairs. The test
has names with years that never stood together in training; what there is to be known must be read.
The filters of the convolutional network see 3, 4 and 5 words.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean

from dragoman.config.cells import LstmCell
from dragoman.config.model import ClassifierSettings
from dragoman.config.recurrent_text import RecurrentClassifierSettings
from dragoman.config.text_cnn import TextCnnSettings
from dragoman.config.tokenizer import WordTokenizerSettings
from dragoman.data.tokenizer.train import train_tokenizer
from dragoman.lab.baselines.bag_of_words import BagOfWords
from dragoman.lab.classification import ClassificationTrial
from dragoman.lab.experiment import Experiment, NoOptions, Result
from dragoman.lab.experiments.paraphrases.data import (
    DISTANCES,
    ORDERS,
    ParaphraseSampling,
    Tests,
    draw_mixed,
    draw_sentences,
    draw_tests,
    split_facts,
)
from dragoman.lab.experiments.paraphrases.verdicts import (
    BAG,
    CNN,
    LSTM,
    REORDERED,
    at,
    decide,
    table,
)
from dragoman.lab.rates import choose_rates, describe_rates, trials_by_seed
from dragoman.lab.results import Measurement, Results, names
from dragoman.lab.runner import TrialRunner
from dragoman.lab.trial import ModelTrial, parameter_count
from dragoman.plots.lab import Panel, PlotLine, draw_panels
from dragoman.tasks.text_classification.classifier import Classifier
from dragoman.trials.trial import train_in

MODELS: dict[str, ClassifierSettings] = {
    LSTM: RecurrentClassifierSettings(
        cell=LstmCell(), embedding_width=64, width=64, pooling="max", dropout=0.0
    ),
    CNN: TextCnnSettings(embedding_width=64, kernel_sizes=(3, 4, 5), filters=86, dropout=0.1),
}
USUAL = 5e-3
"""Learning rate where none is looked for."""

STEPS = {"quick": 300, "full": 1500}
TUNING = {"quick": 0, "full": 900}
"""Steps with each learning rate before one is chosen; the recurrent network needs some 500 before
it begins to learn."""
SENTENCES = {
    "quick": ParaphraseSampling(train=2000, valid=200, tested=40),
    "full": ParaphraseSampling(train=8000, valid=500, tested=150),
}


class ParaphraseTrial(ClassificationTrial):
    """One network, one seed."""

    run_name = "paraphrases"
    folder = "sentences"
    max_length = 64
    sentences: ParaphraseSampling
    tokens: int = 2048

    def draw(self, place: Path) -> Tests:
        """Draw the sentences; return the test by order and distance."""
        return draw_sentences(self.sentences, self.seed, place / self.folder)


class ParaphraseBagTrial(ModelTrial):
    """The bag of words, one seed."""

    name: str = BAG
    sentences: ParaphraseSampling


def measure(runner: TrialRunner, _: NoOptions) -> Result:
    """Train both networks with each seed, count words, and put all to the test."""
    tuning, sentences = TUNING[runner.size], SENTENCES[runner.size]

    def make(name: str, rate: float, steps: int, seed: int) -> ParaphraseTrial:
        model = MODELS[name]
        return ParaphraseTrial(
            name=name, model=model, rate=rate, sentences=sentences, steps=steps, seed=seed
        )

    rates = choose_rates(runner, make, dict.fromkeys(MODELS, USUAL), tuning)
    trained = runner.run(trials_by_seed(runner, make, rates, STEPS[runner.size]), measure_trial)
    bags = [ParaphraseBagTrial(sentences=sentences, seed=seed) for seed in runner.seeds]
    results = [*trained, *runner.run(bags, measure_bag)]
    return Result(results, [decide(results)], [table(results, describe_rates(trained, tuning))])


def measure_trial(trial: ParaphraseTrial, place: Path) -> Measurement:
    """Train one network, and test it with every order and distance."""
    tests = trial.draw(place)
    classifier = Classifier.load(train_in(place, trial.recipe(place)))

    def called(texts: Sequence[str]) -> list[str]:
        return [one.label for one in classifier.classify(texts)]

    return {"parameters": parameter_count(classifier.model), **tested(called, tests)}


def measure_bag(trial: ParaphraseBagTrial, _: Path) -> Measurement:
    """Count the words of the same sentences, and test the counts likewise."""
    learned, _validated, asked = split_facts(trial.seed)
    train = draw_mixed(learned, trial.sentences.train, f"train/{trial.seed}")
    words = train_tokenizer(WordTokenizerSettings(), [one.text for one in train], [])
    bag = BagOfWords(words.size, entry="counts")
    bag.fit(words.encode_batch([one.text for one in train]), [one.label for one in train])

    def called(texts: Sequence[str]) -> list[str]:
        return [str(label) for label in bag.predict(words.encode_batch(texts))]

    tests = draw_tests(asked, trial.sentences.tested, trial.seed)
    return {"parameters": bag.weights.numel() + bag.bias.numel(), **tested(called, tests)}


def tested(called: Callable[[Sequence[str]], list[str]], tests: Tests) -> Measurement:
    """Return the accuracies by order and distance, and that of the more frequent class."""
    accuracies: dict[str, list[float]] = {}
    for order, parts in tests.items():
        accuracies[order] = []
        for part in parts:
            answers = called([one.text for one in part])
            right = (one.label == answer for one, answer in zip(part, answers, strict=True))
            accuracies[order].append(100 * fmean(right))
    labels = [one.label for parts in tests.values() for part in parts for one in part]
    most = max(labels.count(label) for label in set(labels))
    return {"accuracies": accuracies, "majority": 100 * most / len(labels)}


def draw(result: Result, path: Path) -> None:
    """Draw the accuracy against the distance, for both orders."""
    panels = [
        Panel(
            f"accuracy, %, second sentence {order}",
            lines(result.measurements, order == "moved"),
            "words between name and year",
            lowest=30.0,
        )
        for order in ORDERS
    ]
    draw_panels(panels, path, "Do two sentences say the same?")


def lines(results: Results, moved: bool) -> list[PlotLine]:
    """Return a line for each model."""
    order = ORDERS[moved]
    return [
        PlotLine(
            name,
            DISTANCES,
            [at(results, name, order, distance) for distance in DISTANCES],
            color=number,
            dashed=name == BAG,
        )
        for number, name in enumerate(names(results))
    ]


EXPERIMENT = Experiment(
    name="paraphrases",
    title="Paraphrases in another order: a convolutional and a recurrent network",
    hypotheses=(REORDERED,),
    options=NoOptions,
    measure=measure,
    draw=draw,
    seeds=tuple(range(1, 11)),
)
