"""Judging an autoencoder on images it has not seen, beside what needs no network.

Errors are squared differences of a pixel, in each of its colours, where the pixels of the training
set have deviation 1. Principal components, as many as a code has numbers, rebuild as much as any
linear autoencoder can; the mean image is what is left to say without a code.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from dragoman.config.reading import read_recipe
from dragoman.config.task import AutoencodingTaskSettings
from dragoman.data.batching.image_sets import load_images
from dragoman.data.batching.image_store import ImageStore
from dragoman.data.batching.pixels import Bytes, normalize
from dragoman.engine.checkpoint.folder import trained_run
from dragoman.metrics.pca import Pca
from dragoman.tasks.autoencoding.objective import corrupt_held_out
from dragoman.tasks.autoencoding.pixel_rows import fit_image_pca, squared_error
from dragoman.tasks.autoencoding.plot import draw_rebuilt
from dragoman.tasks.autoencoding.reconstructor import TOGETHER, Reconstructor
from dragoman.tasks.autoencoding.report import REPORT
from dragoman.tasks.common.card import store_scores
from dragoman.tasks.common.image_preparation import images_to_test

FIGURE = "reconstructions.png"


@dataclass(frozen=True)
class ReconstructionErrors:
    """Squared error of a pixel: of the network, of the principal components, of the mean."""

    network: float
    pca: float
    mean: float
    given: float = 0.0
    """Of the images as they were given, where they were corrupted."""

    @property
    def rebuilt(self) -> float:
        """Share of what varies between the images that the network rebuilds."""
        return self.explained(self.network)

    def explained(self, error: float) -> float:
        """Return the share of what varies that an error leaves; images all alike leave none."""
        return 1 - error / self.mean if self.mean else 0.0


@dataclass(frozen=True)
class ReconstructionEvaluation:
    """The evaluation of an autoencoder on one test set."""

    name: str
    pictures: int
    code: int
    """Numbers that an image was brought down to."""
    components: int
    """Principal components that were kept beside it; never more than there are."""
    fitted: int
    """Images that the components were found from."""
    whole: ReconstructionErrors
    """From images as they are."""
    spoilt: ReconstructionErrors | None
    """From images with noise on them or pixels masked, where that was trained."""
    plot: Path | None = None
    """Where some of them are drawn."""

    def summary(self) -> dict[str, Any]:
        """Return what is stored."""
        kept = {key: getattr(self, key) for key in ("pictures", "code", "components", "fitted")}
        return {
            **kept,
            "rebuilt": self.whole.rebuilt,
            "errors": asdict(self.whole),
            "spoilt": None if self.spoilt is None else asdict(self.spoilt),
        }

    def text(self) -> str:
        """Lay it out for people, beside PCA and the mean image."""
        lines = [
            f"{self.name}: {self.pictures:,} images, {self.code} latent values each; "
            "mean squared error per pixel, and explained variance"
        ]
        for read, errors in (("", self.whole), (", from corrupted", self.spoilt)):
            if errors is None:
                continue
            rows = [
                ("autoencoder", errors.network),
                (f"PCA, {self.components} components", errors.pca),
                ("mean image", errors.mean),
            ]
            if read:
                rows.append(("input unchanged", errors.given))
            for name, error in rows:
                lines.append(f"  {name + read:<40} {error:.4f}  {errors.explained(error):7.1%}")
        if self.plot is not None:
            lines.append(f"The pictures are in {self.plot}")
        return "\n".join(lines)


def score_reconstruction(
    reconstructor: Reconstructor,
    pca: Pca,
    images: Bytes,
    settings: AutoencodingTaskSettings | None = None,
    after_batch: Callable[[int], None] | None = None,
) -> ReconstructionErrors:
    """Rebuild images and compare; with settings, from images that are corrupted as they say."""
    totals = np.zeros(4)
    for begin in range(0, len(images), TOGETHER):
        true = normalize(np.asarray(images[begin : begin + TOGETHER]), reconstructor.pixels)
        given = true
        if settings is not None:
            given = corrupt_held_out(torch.from_numpy(true), settings, begin).numpy()
        rebuilt = reconstructor.decode_normalized(reconstructor.encode_normalized(given))
        rows = true.reshape(len(true), -1)
        by_pca = pca.reconstruct(pca.transform(given.reshape(len(true), -1)))
        others = (rebuilt.reshape(len(true), -1), by_pca, pca.mean, given.reshape(len(true), -1))
        totals += [squared_error(rows, other) for other in others]
        if after_batch:
            after_batch(len(true))
    network, components, mean, as_given = (totals / images.size).tolist()
    return ReconstructionErrors(network, components, mean, as_given)


def evaluate_reconstruction(
    run: Path, folders: Sequence[Path] = (), after_batch: Callable[[int], None] | None = None
) -> list[ReconstructionEvaluation]:
    """Judge an autoencoder on its test set (or on given folders); store scores, card, figure."""
    folder = trained_run(run)
    recipe = read_recipe(folder.recipe)
    task = recipe.task_for(AutoencodingTaskSettings)
    sets, reconstructor = load_images(folder.data), Reconstructor.load(run)
    code = recipe.model_for(AutoencodingTaskSettings).code
    pca, fitted = fit_image_pca(sets.train.images, sets.pixels, code)
    spoils = task if task.noise or task.masked_share else None
    judged = []
    for name, store in images_to_test(run, folders).items():
        whole = score_reconstruction(reconstructor, pca, store.images, None, after_batch)
        spoilt = score_reconstruction(reconstructor, pca, store.images, spoils) if spoils else None
        kept = len(pca.components)
        plot = folder.path / FIGURE if name == "test" else None
        judged.append(
            ReconstructionEvaluation(name, len(store), code, kept, fitted, whole, spoilt, plot)
        )
        if plot is not None:
            names, title = list(sets.classes), f"{recipe.name}: {code} numbers a picture"
            draw_rebuilt(reconstructor, pca, _some(store), names, spoils, plot, title)
    store_scores(folder, judged, REPORT, folders)
    return judged


def _some(store: ImageStore, most: int = 2000) -> ImageStore:
    """Return some images of a store, evenly spread."""
    every = -(-len(store) // most)
    return ImageStore(store.images[::every], store.classes[::every])
