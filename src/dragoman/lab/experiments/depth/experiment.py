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
from dragoman.config.optimizer import Momentum
from dragoman.config.recipe import Recipe
from dragoman.config.schedule import Cosine
from dragoman.config.settings import Settings
from dragoman.config.start import FullStart
from dragoman.config.task import ImageTaskSettings
from dragoman.config.vision import ResNetSettings
from dragoman.config.writing import recipe_to_toml
from dragoman.core.checksums import write_checked
from dragoman.data.batching.image_sets import ImageSets, load_images
from dragoman.data.batching.image_store import ImageStore
from dragoman.data.corpus.images import open_images
from dragoman.engine.build import build_image_model
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.engine.checkpoint.weights import weights_of, write_weights
from dragoman.lab.experiment import Experiment, NoOptions, Result, Size
from dragoman.lab.experiments.depth.signals import begin_as_identities, look
from dragoman.lab.experiments.depth.verdicts import CLAIMS, Depths, decide, tables
from dragoman.lab.rates import SEED, choose_rates, trials_by_seed
from dragoman.lab.results import Measurement, figures, names, select
from dragoman.lab.runner import TrialRunner
from dragoman.lab.trial import TunableTrial, parameter_count, trial_training
from dragoman.neural.models.images.resnet import ResNet
from dragoman.plots.lab import Bars, Panel, PlotLine, by_place, draw_panels
from dragoman.tasks.common.pixels import as_read
from dragoman.tasks.image_classification.classifier import ImageClassifier
from dragoman.tasks.image_classification.evaluate import score_images

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


class DepthTrial(TunableTrial):
    """One network, one seed."""

    model: ResNetSettings
    drawn: int = 0
    """Blocks of each stage whose first weights are drawn, where the others begin as identities; 0
    draws all."""
    corpus: ImageCorpus
    together: int
    tested: int

    def draw(self, place: Path) -> None:
        """Store the first weights, where not all of them are drawn."""
        if self.drawn:
            _store_beginning(self, place)

    def recipe(self, place: Path) -> Recipe:
        """Return the recipe that trains it, whose first weights may lie in its place."""
        training = trial_training(self.steps, validations=3, checkpoints=3, lines=POINTS)
        unclipped = {"clip_norm": 0.0, "final": "last", "bad_steps": 10}
        start = FullStart(run=(place / "begin").absolute()) if self.drawn else None
        recipe = self.recipe_of(
            "depth",
            ImageTaskSettings(),
            self.corpus,
            self.model,
            training=training.model_copy(update=unclipped),
        )
        return recipe.model_copy(
            update={
                "images": ImageSettings(batch_size=self.together),
                "start": start,
                "optimizer": Momentum(learning_rate=self.rate, weight_decay=1e-4),
                "schedule": Cosine(warmup_steps=self.steps // 10),
            }
        )


def networks(scale: DepthScale) -> dict[str, tuple[ResNetSettings, int]]:
    """Return by name each network, and the blocks of a stage that are drawn where not all are."""
    depths = Depths(*scale.depths)

    def network(depth: int, residual: bool) -> ResNetSettings:
        return ResNetSettings(depth=depth, width=scale.width, stem="pooled", residual=residual)

    shallow, deep = scale.depths
    return {
        depths.plain: (network(shallow, False), 0),
        depths.deep_plain: (network(deep, False), 0),
        depths.identities: (network(deep, False), (shallow - 2) // 6),
        depths.residual: (network(shallow, True), 0),
        depths.deep_residual: (network(deep, True), 0),
    }


def measure(runner: TrialRunner, _: NoOptions) -> Result:
    """Choose the rates, then train each network with each seed."""
    scale = SCALES[runner.size]
    made = networks(scale)
    open_images(scale.corpus, SEED)  # says at once if the pictures are not there

    def make(name: str, rate: float, steps: int, seed: int) -> DepthTrial:
        model, drawn = made[name]
        return DepthTrial(
            name=name,
            rate=rate,
            model=model,
            drawn=drawn,
            corpus=scale.corpus,
            together=scale.together,
            steps=steps,
            tested=scale.tested,
            seed=seed,
        )

    usual = dict.fromkeys(made, USUAL)
    rates = choose_rates(runner, make, usual, scale.tuning, RATES)
    trials = trials_by_seed(runner, make, rates, scale.steps)
    results = runner.run(trials, measure_trial)
    return Result(
        results, decide(results), tables(results, _training_note(scale)), {"rates": rates}
    )


def _training_note(scale: DepthScale) -> str:
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


def beginning(trial: DepthTrial, channels: int, size: int, classes: int) -> ResNet:
    """Return a trial's network as it is before the first step."""
    model = build_image_model(trial.model, channels, size, classes, trial.seed)
    if not isinstance(model, ResNet):
        raise TypeError(f"{trial.name} is no residual network and none of its plain counterparts")
    if trial.drawn:
        begin_as_identities(model, trial.drawn)
    return model


def _store_beginning(trial: DepthTrial, place: Path) -> None:
    """Store first weights as a run that another one can start from."""
    images = open_images(trial.corpus, trial.seed)
    pixels, _ = next(images.read("train"))
    model = beginning(trial, pixels.shape[2], pixels.shape[0], len(images.classes))
    folder = RunFolder(place / "begin")
    folder.path.mkdir(parents=True, exist_ok=True)
    alone = trial.recipe(place).model_copy(update={"start": None})
    write_checked(folder.recipe, recipe_to_toml(alone))
    write_weights(folder.model, weights_of(model), {})


def measure_trial(trial: DepthTrial, place: Path) -> Measurement:
    """Train one network, take its errors, and look into it before and after."""
    folder = RunFolder(trial.train(place))
    classifier = ImageClassifier.load(folder.path, device="cpu")
    sets = load_images(folder.data)
    after = classifier.model
    if not isinstance(after, ResNet):
        raise TypeError(f"{folder.path} holds another network than it was given")
    before = beginning(trial, after.channels, after.size, after.classes)
    images, classes = _shown(sets)
    trained, unseen = (
        score_images(classifier, _some(store, trial.tested), "some", sets.classes)
        for store in (sets.train, sets.test)
    )
    log = [row for row in read_log(folder.metrics) if row["kind"] == "train"]
    return {
        "parameters": parameter_count(after),
        "training_error": 100 * (1 - trained.accuracy),
        "test_error": 100 * (1 - unseen.accuracy),
        "macro_f1": 100 * unseen.whole.macro_f1,
        "majority": 100 * (1 - unseen.baseline.accuracy),
        "steps_at": [row["step"] for row in log],
        "curve": [row["loss"] for row in log],
        "before": look(before, images, classes),
        "after": look(after, images, classes),
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
    results = result.measurements
    shown = names(results)
    curves = [
        PlotLine(
            name,
            select(results, name)[0]["steps_at"],
            by_place([one["curve"] for one in select(results, name)]),
            color,
        )
        for color, name in enumerate(shown)
    ]
    gradients = [
        PlotLine(
            name,
            range(1, 1 + len(select(results, name)[0]["before"]["gradients"])),
            by_place([_logs(one["before"]["gradients"]) for one in select(results, name)]),
            color,
        )
        for color, name in enumerate(shown)
    ]
    guess = fmean(float(one["majority"]) for one in results)
    errors = [
        Bars(
            f"{details}, % (dashed: majority baseline)",
            shown,
            [figures(results, name, key) for name in shown],
            baseline=guess,
        )
        for key, details in (("training_error", "training error"), ("test_error", "test error"))
    ]
    panels: list[Panel | Bars] = [
        Panel("training loss, nats", curves, "step"),
        Panel("gradient before the first step, powers of ten", gradients, "convolution"),
        *errors,
    ]
    draw_panels(panels, path, "Plain and residual networks of few and of many layers")


def _logs(values: Sequence[float]) -> list[float]:
    return [math.log10(max(float(value), 1e-30)) for value in values]


EXPERIMENT = Experiment(
    name="depth",
    needs=("cifar-10",),
    title="Plain and residual networks of few and of many layers",
    hypotheses=CLAIMS,
    options=NoOptions,
    measure=measure,
    draw=draw,
)
