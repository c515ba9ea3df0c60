"""The model card of an autoencoder."""

from collections.abc import Mapping
from typing import Any

from dragoman.config.recipe import Recipe
from dragoman.config.task import AutoencodingTaskSettings
from dragoman.data.batching.image_sets import load_images
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.tasks.common.card import CardReport

NAMES = {"network": "autoencoder", "pca": "PCA", "mean": "mean image", "given": "input"}


def _purpose(folder: RunFolder, recipe: Recipe) -> tuple[str, list[str]]:
    sets, code = load_images(folder.data), recipe.model_for(AutoencodingTaskSettings).code
    does = f"encodes an image as {code} values and reconstructs it"
    return f"{does}, trained on {len(sets.train):,} images", sets.findings


def rebuilt_table(stored: Mapping[str, Any]) -> str:
    """Lay out the errors of test sets, of images as they are and corrupted, as Markdown."""
    rows = [
        "## Scores",
        "",
        "Mean squared error per pixel; pixels are normalized to deviation 1 on the training set.",
        "",
        f"| test set | images | input | latent values | {' | '.join(NAMES.values())} |",
        f"|---|---|---|---|{'---|' * len(NAMES)}",
    ]
    for name, one in stored.items():
        for read, errors in (("clean", one["errors"]), ("corrupted", one["spoilt"])):
            if errors is not None:
                told = " | ".join(f"{errors[key]:.4f}" if errors[key] else "" for key in NAMES)
                rows.append(f"| {name} | {one['pictures']:,} | {read} | {one['code']} | {told} |")
    one = next(iter(stored.values()))
    rows += ["", f"PCA: {one['components']} components of {one['fitted']:,} training images."]
    return "\n".join(rows) + "\n\n![Reconstructions of test images](reconstructions.png)"


REPORT = CardReport(_purpose, rebuilt_table, loss="mean squared error per pixel {loss:.4f}")
