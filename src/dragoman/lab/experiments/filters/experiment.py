"""Pooling after the convolution or before, by the maximum or the mean; filters learned or fixed.

Networks of two convolutions learn to tell clothes apart (Fashion-MNIST), all with the same batches,
as many steps, and the rate that had suited every one of them best, of three, on validation pictures
of an earlier run. They differ in one thing at a time: how a stage halves the picture, when, and
whether its first filters are learned, or any.
There are eight of these for each colour, as Sobel's have eight directions; all else is equal, and
so are the parameters, but that fixed filters are not trained.

Then the test pictures are moved by a few pixels, which nothing was in training, and one counts how
many answers change and how many are lost.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from dragoman.config.images import ImageArrays, ImageCorpus, ImageSettings
from dragoman.config.recipe import Recipe
from dragoman.config.settings import Settings
from dragoman.config.task import ImageTaskSettings
from dragoman.config.vision import CnnSettings
from dragoman.data.batching.image_sets import load_images
from dragoman.data.batching.image_store import ImageStore
from dragoman.data.corpus.images import open_images
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.lab.experiment import Experiment, Result, Size
from dragoman.lab.experiments.filters.data import SHIFTS, score_shifts
from dragoman.lab.experiments.filters.verdicts import (
    ALL_RANDOM,
    AVERAGE,
    AVERAGE_FIRST,
    CLAIMS,
    FIXED,
    MAX,
    MAX_FIRST,
    RANDOM,
    SOBEL,
    STRIDE,
    decide,
    tables,
)
from dragoman.lab.rates import SEED, describe_rates, trials_by_seed
from dragoman.lab.results import Measurement, Results, figures, names, select
from dragoman.lab.runner import TrialRunner
from dragoman.lab.trial import TunableTrial
from dragoman.neural.layers.images.fixed_filters import DIRECTIONS, FixedConvolution
from dragoman.neural.models.images.network import ImageNetwork
from dragoman.planner.count.families import count_network
from dragoman.planner.count.sizes import Sizes
from dragoman.plots.lab import Bars, Panel, PlotLine, by_place, draw_panels
from dragoman.tasks.image_classification.classifier import ImageClassifier
from dragoman.tasks.image_classification.evaluate import score_images

Known = Literal["fashion-mnist", "mnist", "cifar-10"]

RATE = 1e-2


class FiltersOptions(Settings):
    """The options of this subject."""

    corpus: Known = "fashion-mnist"
    """The pictures that are sorted."""


class FilterScale(Settings):
    """How much is trained, and on how many pictures."""

    most: int
    """Pictures that are taken for training and validation; 0 takes all."""
    steps: int
    moved: int
    """Pictures of the test set that are moved."""


SCALES: dict[Size, FilterScale] = {
    "quick": FilterScale(most=10_000, steps=150, moved=500),
    "full": FilterScale(most=0, steps=800, moved=2000),
}


class FilterTrial(TunableTrial):
    """One network, one seed."""

    model: CnnSettings
    corpus: ImageCorpus
    together: int = 128
    """Pictures of a batch."""
    moved: int

    def recipe(self, place: Path) -> Recipe:
        """Return the recipe that trains it."""
        recipe = self.recipe_of("filters", ImageTaskSettings(), self.corpus, self.model)
        return recipe.model_copy(update={"images": ImageSettings(batch_size=self.together)})


def networks(channels: int) -> dict[str, CnnSettings]:
    """Return each network by its name; eight first filters for each colour."""
    plain = CnnSettings(channels=(DIRECTIONS * channels, 32), hidden_width=64, dropout=0.0)

    changes: dict[str, dict[str, str]] = {
        MAX: {},
        AVERAGE: {"pooling": "average"},
        STRIDE: {"pooling": "stride"},
        MAX_FIRST: {"order": "pooling-first"},
        AVERAGE_FIRST: {"pooling": "average", "order": "pooling-first"},
        SOBEL: {"first_filters": "sobel"},
        RANDOM: {"first_filters": "random"},
        ALL_RANDOM: {"first_filters": "random", "further_filters": "random"},
    }
    return {name: plain.model_copy(update=change) for name, change in changes.items()}


def pictures(name: Known, most: int) -> ImageCorpus:
    """Return the corpus of a name."""
    return ImageArrays(name=name, max_images=most)


def measure(runner: TrialRunner, options: FiltersOptions) -> Result:
    """Train each network with each seed and move its pictures."""
    scale = SCALES[runner.size]
    corpus = pictures(options.corpus, scale.most)
    image, _ = next(open_images(corpus, SEED).read("train"))
    made = networks(image.shape[2])

    def make(name: str, rate: float, steps: int, seed: int) -> FilterTrial:
        return FilterTrial(
            name=name,
            rate=rate,
            model=made[name],
            corpus=corpus,
            steps=steps,
            moved=scale.moved,
            seed=seed,
        )

    trials = trials_by_seed(runner, make, dict.fromkeys(made, RATE), scale.steps)
    results = runner.run(trials, measure_trial)
    note = f"{scale.steps} steps of {trials[0].together} pictures of {options.corpus}. "
    return Result(results, decide(results), tables(results, note + describe_rates(results, 0)))


def measure_trial(trial: FilterTrial, place: Path) -> Measurement:
    """Train one network and test it, with pictures that stay and with moved ones."""
    folder = RunFolder(trial.train(place))
    classifier = ImageClassifier.load(folder.path, device="cpu")
    sets = load_images(folder.data)
    whole = score_images(classifier, sets.test, "test", sets.classes)
    some = ImageStore(sets.test.images[: trial.moved], sets.test.classes[: trial.moved])
    return {
        **counted(classifier.model),
        "accuracy": 100 * whole.accuracy,
        "macro_f1": 100 * whole.whole.macro_f1,
        "majority": 100 * whole.baseline.accuracy,
        "majority_f1": 100 * whole.baseline.macro_f1,
        **score_shifts(classifier, some),
    }


def counted(model: ImageNetwork) -> Measurement:
    """Count the parameters that are trained, those with the fixed ones, and the products."""
    trained = sum(weight.numel() for weight in model.parameters())
    fixed = [one.weight.numel() for one in model.modules() if isinstance(one, FixedConvolution)]
    sizes = Sizes(classes=model.classes, channels=model.channels, image_size=model.size)
    network = count_network(model.settings, sizes, training=False)
    return {
        "trained": trained,
        "parameters": trained + sum(fixed),
        "multiplications": network.total.multiplications,
    }


def draw(result: Result, path: Path) -> None:
    """Draw the errors, and what is lost and changed by shifts."""
    rows, fixed = result.measurements, FIXED
    shown = names(rows)
    panels: list[Panel | Bars] = [
        Bars(
            "error, %: how and when is pooled",
            shown[: -len(fixed)],
            [_errors(rows, name) for name in shown[: -len(fixed)]],
        ),
        Bars(
            "error, %: filters learned (max) or fixed",
            (MAX, *fixed),
            [_errors(rows, name) for name in (MAX, *fixed)],
        ),
        Panel("accuracy, %", _lines(rows, (0, *SHIFTS), "accuracies"), "pixels moved"),
        Panel("answers changed, %", _lines(rows, SHIFTS, "changed"), "pixels moved", lowest=0.0),
    ]
    draw_panels(panels, path, "Pooling and filters")


def _errors(results: Results, name: str) -> list[float]:
    return [100 - value for value in figures(results, name, "accuracy")]


def _lines(results: Results, places: Sequence[int], key: str) -> list[PlotLine]:
    return [
        PlotLine(name, places, by_place([result[key] for result in select(results, name)]), color)
        for color, name in enumerate((MAX, AVERAGE, STRIDE, MAX_FIRST, AVERAGE_FIRST))
    ]


EXPERIMENT = Experiment(
    name="filters",
    needs=("fashion-mnist",),
    title="Pooling before and after, max and average; filters learned and fixed",
    hypotheses=CLAIMS,
    options=FiltersOptions,
    measure=measure,
    draw=draw,
    seeds=tuple(range(11, 17)),
    quick_seeds=tuple(range(11, 17)),
)
