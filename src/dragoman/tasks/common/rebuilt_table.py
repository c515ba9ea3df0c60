"""How well pictures are rebuilt, laid out for people."""

from collections.abc import Mapping
from typing import Any

NAMES = {"network": "autoencoder", "pca": "PCA", "mean": "mean image", "given": "input"}


def rebuilt_table(stored: Mapping[str, Any]) -> str:
    """Lay out the errors of test sets, of pictures as they are and spoilt, as Markdown."""
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
