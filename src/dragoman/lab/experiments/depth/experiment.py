"""Do more layers help, and what do skips have to do with it?

Plain and residual networks of few and of many layers learn to tell the things of CIFAR-10 apart,
with the same batches and as many steps, each with the rate that suits it best on validation
pictures. Both the error on pictures that were trained on and that on unseen ones are taken: what is
worse on both has not learned by heart, it has not learned.

The notes blame the first weights. So the gradients and signals of the networks are looked at before
the first step and after the last; and the deep plain network is trained once more from other first
weights: those of the few layers, with further layers that nearly hand on what they are given. If it
is the first weights, this one does no worse than the shallow network.

The networks are those of He et al. (2016) for CIFAR-10 but half as wide, and they pool once after
the stem, which makes them four times cheaper; the training is short, and nothing is augmented.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import torch

from dragoman.config.images import ImageArrays, ImageCorpus, ImageSettings
from dragoman.config.optimiser import Momentum
from dragoman.config.recipe import Recipe
from dragoman.config.schedule import Cosine
from dragoman.config.settings import Settings
from dragoman.config.start import FullStart
from dragoman.config.task import ImageTaskSettings
from dragoman.config.training import ObjectiveSettings, TrainingSettings
from dragoman.config.vision import ResNetSettings
from dragoman.config.writing import recipe_to_toml
from dragoman.core.files import write_atomic
from dragoman.data.batching.image_sets import ImageSets, load_images
from dragoman.data.batching.image_store import ImageStore
from dragoman.data.corpus.images import open_images
from dragoman.engine.build import build_image_model
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.engine.checkpoint.weights import weights_of, write_weights
from dragoman.lab.bench import Bench
from dragoman.lab.experiment import NoOptions, Result, Row, Size, Subject
from dragoman.lab.experiments.depth.signals import begin_as_identities, extend, look
from dragoman.lab.experiments.depth.verdicts import (
    STATEMENTS,
    Depths,
    judge,
    tables,
)
from dragoman.lab.rates import SEED, Rated, choose_rates
from dragoman.lab.rows import figures, named, names
from dragoman.lab.training import train_in
from dragoman.neural.models.images.resnet import ResNet
from dragoman.plots.lab import Bars, Panel, PlotLine, by_place, draw_panels
from dragoman.tasks.common.pixels import as_read
from dragoman.tasks.image_classification.classifier import ImageClassifier
from dragoman.tasks.image_classification.evaluate import judge_images

RATES = (0.01, 0.03, 0.1, 0.3)
USUAL = 0.03
"""Learning rate where none is looked for; the paper, which trains far longer, has 0.1."""

POINTS = 24
"""Of the curve of the training loss."""

LOOKED = 128
"""Pictures that are sent through a network to look at its gradients."""


class DepthScale(Settings):
    """How much is trained, and on what."""

    depths: tuple[int, int]
    """Layers of the shallow networks and of the deep ones."""
    width: int
    corpus: ImageCorpus
    together: int
    """Pictures of a batch."""
    steps: int
    tuning: int
    """Steps with each learning rate before one is chosen; 0 takes the usual one."""
    tested: int
    """Pictures that each error is taken from, of those trained on and of the others."""


SCALES: dict[Size, DepthScale] = {
    "quick": DepthScale(
        depths=(20, 56),
        width=8,
        corpus=ImageArrays(name="cifar-10", max_images=6000),
        together=64,
        steps=120,
        tuning=0,
        tested=1500,
    ),
    "full": DepthScale(
        depths=(20, 56),
        width=8,
        corpus=ImageArrays(name="cifar-10", held_out=0.05),
        together=128,
        steps=2000,
        tuning=300,
        tested=10_000,
    ),
}


class DepthTrial(Rated):
    """One network, one seed."""

    model: ResNetSettings
    drawn: int = 0
    """Blocks of each stage whose first weights are drawn, where the others begin as identities; 0
    draws all."""
    more: int = 0
    """Blocks that make a shallow network as deep as the deep one; 0 for a deep one."""
    corpus: ImageCorpus
    together: int
    steps: int
    tested: int
    seed: int

    def recipe(self, place: Path) -> Recipe:
        """Return the recipe that trains this unit, whose first weights may lie in its place."""
        every = -(-self.steps // 3)
        return Recipe(
            name="depth",
            seed=self.seed,
            task=ImageTaskSettings(),
            corpus=self.corpus,
            images=ImageSettings(batch_size=self.together),
            start=FullStart(run=(place / "begin").absolute()) if self.drawn else None,
            model=self.model,
            objective=ObjectiveSettings(label_smoothing=0.0),
            optimizer=Momentum(learning_rate=self.rate, weight_decay=1e-4),
            schedule=Cosine(warmup_steps=self.steps // 10),
            training=TrainingSettings(
                steps=self.steps,
                clip_norm=0.0,
                validate_every=every,
                checkpoint_every=every,
                log_every=max(1, self.steps // POINTS),
                best_metric="loss",
                keep=1,
                final="last",
                threads=1,
                bad_steps=10,
            ),
        )


def networks(scale: DepthScale) -> dict[str, tuple[ResNetSettings, int, int]]:
    """Return by name each network, the blocks that are drawn, and those it would be deepened by."""
    depths = Depths(*scale.depths)

    def network(depth: int, residual: bool) -> ResNetSettings:
        return ResNetSettings(depth=depth, width=scale.width, stem="pooled", residual=residual)

    shallow, deep = scale.depths
    known, more = (shallow - 2) // 6, (deep - shallow) // 6
    return {
        depths.plain: (network(shallow, False), 0, more),
        depths.deep_plain: (network(deep, False), 0, 0),
        depths.identities: (network(deep, False), known, 0),
        depths.residual: (network(shallow, True), 0, more),
        depths.deep_residual: (network(deep, True), 0, 0),
    }


def measure(bench: Bench, _: NoOptions) -> Result:
    """Choose the rates, then train each network with each seed."""
    scale = SCALES[bench.size]
    made = networks(scale)
    open_images(scale.corpus, SEED)  # says at once if the pictures are not there

    def unit(name: str, rate: float, steps: int, seed: int) -> DepthTrial:
        model, drawn, more = made[name]
        return DepthTrial(
            name=name,
            rate=rate,
            model=model,
            drawn=drawn,
            more=more,
            corpus=scale.corpus,
            together=scale.together,
            steps=steps,
            tested=scale.tested,
            seed=seed,
        )

    usual = dict.fromkeys(made, USUAL)
    rates = choose_rates(bench, unit, usual, scale.tuning, train_unit, RATES)
    units = [unit(name, rates[name], scale.steps, seed) for seed in bench.seeds for name in made]
    rows = bench.measured(units, measure_unit, name=lambda unit: f"{unit.name}, {unit.seed}")
    return Result(rows, judge(rows), tables(rows, _told(scale)), {"rates": rates})


def _told(scale: DepthScale) -> str:
    """Say how all were trained, and how the rates came about."""
    grid = ", ".join(f"{rate:g}" for rate in RATES)
    how = (
        f"the best of {grid} by validation loss after {scale.tuning} steps with seed {SEED}"
        if scale.tuning
        else "set beforehand"
    )
    return (
        f"{scale.steps} steps of {scale.together} pictures each, momentum 0.9, decay 1e-4, a "
        f"warm-up of a tenth, no clipping; rates are {how}. All parameters are "
        f"trained. Errors are of {scale.tested:,} pictures each at most, with the last weights."
    )


def train_unit(unit: DepthTrial, place: Path) -> Path:
    """Train a unit's network; the test is not looked at."""
    if unit.drawn:
        _store_beginning(unit, place)
    return train_in(place, unit.recipe(place))


def beginning(unit: DepthTrial, channels: int, size: int, classes: int) -> ResNet:
    """Return a unit's network as it is before the first step."""
    model = build_image_model(unit.model, channels, size, classes, unit.seed)
    if not isinstance(model, ResNet):
        raise TypeError(f"{unit.name} is no residual network and none of its plain counterparts")
    if unit.drawn:
        begin_as_identities(model, unit.drawn)
    return model


def _store_beginning(unit: DepthTrial, place: Path) -> None:
    """Store first weights as a run that another one can start from."""
    images = open_images(unit.corpus, unit.seed)
    pixels, _ = next(images.read("train"))
    model = beginning(unit, pixels.shape[2], pixels.shape[0], len(images.classes))
    folder = RunFolder(place / "begin")
    folder.path.mkdir(parents=True, exist_ok=True)
    alone = unit.recipe(place).model_copy(update={"start": None})
    write_atomic(folder.recipe, recipe_to_toml(alone))
    write_weights(folder.model, weights_of(model), {})


def measure_unit(unit: DepthTrial, place: Path) -> Row:
    """Train one network, take its errors, and look into it before and after."""
    folder = RunFolder(train_unit(unit, place))
    classifier = ImageClassifier.load(folder.path, device="cpu")
    sets = load_images(folder.data)
    after = classifier.model
    if not isinstance(after, ResNet):
        raise TypeError(f"{folder.path} holds another network than it was given")
    before = beginning(unit, after.channels, after.size, after.classes)
    images, classes = _shown(sets)
    trained, unseen = (
        judge_images(classifier, _some(store, unit.tested), "some", sets.classes)
        for store in (sets.train, sets.test)
    )
    log = [row for row in read_log(folder.metrics) if row["kind"] == "train"]
    return {
        "parameters": sum(weight.numel() for weight in after.parameters()),
        "training_error": 100 * (1 - trained.accuracy),
        "test_error": 100 * (1 - unseen.accuracy),
        "macro_f1": 100 * unseen.whole.macro_f1,
        "majority": 100 * (1 - unseen.baseline.accuracy),
        "steps_at": [row["step"] for row in log],
        "curve": [row["loss"] for row in log],
        "before": look(before, images, classes),
        "after": look(after, images, classes),
        "extension": extend(after, unit.more, images, unit.seed) if unit.more else None,
    }


def _shown(sets: ImageSets) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the first pictures that are trained on as a network reads them, and their classes."""
    some = _some(sets.train, LOOKED)
    images = as_read(some.images, sets.pixels, torch.device("cpu"))
    return images, torch.from_numpy(some.classes.copy())


def _some(store: ImageStore, most: int) -> ImageStore:
    return ImageStore(store.images[:most], store.classes[:most])


def draw(result: Result, path: Path) -> None:
    """Draw the training loss, the gradients before the first step, and both errors."""
    rows = result.rows
    shown = names(rows)
    curves = [
        PlotLine(
            name,
            named(rows, name)[0]["steps_at"],
            by_place([row["curve"] for row in named(rows, name)]),
            colour,
        )
        for colour, name in enumerate(shown)
    ]
    gradients = [
        PlotLine(
            name,
            range(1, 1 + len(named(rows, name)[0]["before"]["gradients"])),
            by_place([_logs(row["before"]["gradients"]) for row in named(rows, name)]),
            colour,
        )
        for colour, name in enumerate(shown)
    ]
    guess = fmean(float(row["majority"]) for row in rows)
    errors = [
        Bars(
            f"{told}, % (dashed: of the most frequent class)",
            shown,
            [figures(rows, name, key) for name in shown],
            baseline=guess,
        )
        for key, told in (("training_error", "training error"), ("test_error", "test error"))
    ]
    panels: list[Panel | Bars] = [
        Panel("training loss, nats", curves, "step"),
        Panel("gradient before the first step, powers of ten", gradients, "convolution"),
        *errors,
    ]
    draw_panels(panels, path, "Plain and residual networks of few and of many layers")


def _logs(values: Sequence[float]) -> list[float]:
    return [math.log10(max(float(value), 1e-30)) for value in values]


SUBJECT = Subject(
    name="depth",
    title="Plain and residual networks of few and of many layers",
    statements=STATEMENTS,
    options=NoOptions,
    measure=measure,
    draw=draw,
)
