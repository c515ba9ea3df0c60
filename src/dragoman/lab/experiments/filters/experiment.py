"""Pooling after the convolution or before, by the maximum or the mean; filters learned or fixed.

Networks of two convolutions learn to tell clothes apart (Fashion-MNIST), all with the same batches,
as many steps, and each with the rate that suits it best on validation pictures. They differ in one
thing at a time: how a stage halves the picture, when, and whether its first filters are learned, or
any.
There are eight of these for each colour, as Sobel's have eight directions; all else is equal, and
so are the parameters, but that fixed filters are not trained.

Then the test pictures are moved by a few pixels, which nothing was in training, and one counts how
many answers change and how many are lost.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from dragoman.config.images import ImageArrays, ImageCorpus, ImageSettings
from dragoman.config.optimiser import AdamW
from dragoman.config.recipe import Recipe
from dragoman.config.schedule import Cosine
from dragoman.config.settings import Settings
from dragoman.config.task import ImageTaskSettings
from dragoman.config.training import ObjectiveSettings
from dragoman.config.vision import CnnSettings
from dragoman.data.batching.image_sets import load_images
from dragoman.data.batching.image_store import ImageStore
from dragoman.data.corpus.images import open_images
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.lab.bench import Bench
from dragoman.lab.experiment import Result, Row, Size, Subject
from dragoman.lab.experiments.filters.data import SHIFTS, judge_shifts
from dragoman.lab.experiments.filters.verdicts import (
    ALL_RANDOM,
    AVERAGE,
    AVERAGE_FIRST,
    FIXED,
    MAX,
    MAX_FIRST,
    RANDOM,
    SOBEL,
    STATEMENTS,
    STRIDE,
    judge,
    tables,
)
from dragoman.lab.rates import SEED, Rated, choose_rates, told_rates
from dragoman.lab.rows import figures, named, names
from dragoman.lab.training import plain_training, train_in
from dragoman.neural.layers.images.fixed_filters import DIRECTIONS, FixedConvolution
from dragoman.neural.models.images.count import count_layers
from dragoman.neural.models.images.network import ImageNetwork
from dragoman.plots.lab import Bars, Panel, PlotLine, by_place, draw_panels
from dragoman.tasks.image_classification.classifier import ImageClassifier
from dragoman.tasks.image_classification.evaluate import judge_images

Known = Literal["fashion-mnist", "mnist", "cifar-10"]

USUAL = 3e-3
"""Learning rate where none is looked for."""


class FiltersOptions(Settings):
    """The options of this subject."""

    corpus: Known = "fashion-mnist"
    """The pictures that are sorted."""


class FilterScale(Settings):
    """How much is trained, and on how many pictures."""

    most: int
    """Pictures that are taken for training and validation; 0 takes all."""
    steps: int
    tuning: int
    """Steps with each learning rate before one is chosen; 0 takes the usual one."""
    moved: int
    """Pictures of the test set that are moved."""


SCALES: dict[Size, FilterScale] = {
    "quick": FilterScale(most=10_000, steps=200, tuning=0, moved=500),
    "full": FilterScale(most=0, steps=2400, tuning=300, moved=4000),
}


class FilterTrial(Rated):
    """One network, one seed."""

    model: CnnSettings
    corpus: ImageCorpus
    together: int = 128
    """Pictures of a batch."""
    steps: int
    moved: int
    seed: int

    def recipe(self) -> Recipe:
        """Return the recipe that trains this unit."""
        return Recipe(
            name="filters",
            seed=self.seed,
            task=ImageTaskSettings(),
            corpus=self.corpus,
            images=ImageSettings(batch_size=self.together),
            model=self.model,
            objective=ObjectiveSettings(label_smoothing=0.0),
            optimizer=AdamW(learning_rate=self.rate),
            schedule=Cosine(warmup_steps=self.steps // 20),
            training=plain_training(self.steps),
        )


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


def measure(bench: Bench, options: FiltersOptions) -> Result:
    """Choose the rates, then train each network with each seed and move its pictures."""
    scale = SCALES[bench.size]
    corpus = pictures(options.corpus, scale.most)
    image, _ = next(open_images(corpus, SEED).read("train"))
    made = networks(image.shape[2])

    def unit(name: str, rate: float, steps: int, seed: int) -> FilterTrial:
        return FilterTrial(
            name=name,
            rate=rate,
            model=made[name],
            corpus=corpus,
            steps=steps,
            moved=scale.moved,
            seed=seed,
        )

    usual = dict.fromkeys(made, USUAL)
    rates = choose_rates(bench, unit, usual, scale.tuning, train_unit)
    units = [unit(name, rates[name], scale.steps, seed) for seed in bench.seeds for name in made]
    rows = bench.measured(units, measure_unit, name=lambda unit: f"{unit.name}, {unit.seed}")
    told = f"{scale.steps} steps of {units[0].together} pictures of {options.corpus}. "
    return Result(rows, judge(rows), tables(rows, told + told_rates(rows, scale.tuning)))


def train_unit(unit: FilterTrial, place: Path) -> Path:
    """Train a unit's network; the test is not looked at."""
    return train_in(place, unit.recipe())


def measure_unit(unit: FilterTrial, place: Path) -> Row:
    """Train one network and test it, with pictures that stay and with moved ones."""
    folder = RunFolder(train_unit(unit, place))
    classifier = ImageClassifier.load(folder.path, device="cpu")
    sets = load_images(folder.data)
    whole = judge_images(classifier, sets.test, "test", sets.classes)
    some = ImageStore(sets.test.images[: unit.moved], sets.test.classes[: unit.moved])
    return {
        **counted(classifier.model),
        "accuracy": 100 * whole.accuracy,
        "macro_f1": 100 * whole.whole.macro_f1,
        "majority": 100 * whole.baseline.accuracy,
        "majority_f1": 100 * whole.baseline.macro_f1,
        **judge_shifts(classifier, some),
    }


def counted(model: ImageNetwork) -> Row:
    """Count the parameters that are trained, those with the fixed ones, and the products."""
    trained = sum(weight.numel() for weight in model.parameters())
    fixed = [one.weight.numel() for one in model.modules() if isinstance(one, FixedConvolution)]
    layers = count_layers(model, model.channels, model.size)
    return {
        "trained": trained,
        "parameters": trained + sum(fixed),
        "multiplications": sum(layer.multiplications for layer in layers),
    }


def draw(result: Result, path: Path) -> None:
    """Draw the errors, and what is lost and changed by shifts."""
    rows, fixed = result.rows, FIXED
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


def _errors(rows: Sequence[Row], name: str) -> list[float]:
    return [100 - value for value in figures(rows, name, "accuracy")]


def _lines(rows: Sequence[Row], places: Sequence[int], key: str) -> list[PlotLine]:
    return [
        PlotLine(name, places, by_place([row[key] for row in named(rows, name)]), colour)
        for colour, name in enumerate((MAX, AVERAGE, STRIDE, MAX_FIRST, AVERAGE_FIRST))
    ]


SUBJECT = Subject(
    name="filters",
    title="Pooling before and after, max and average; filters learned and fixed",
    statements=STATEMENTS,
    options=FiltersOptions,
    measure=measure,
    draw=draw,
)
