"""Reconstruction errors of an autoencoder, as a table of the model card."""

from collections.abc import Mapping
from typing import Any

NAMES = {"network": "autoencoder", "pca": "PCA", "mean": "mean picture", "given": "as given"}


def rebuilt_table(stored: Mapping[str, Any]) -> str:
    """Lay out the errors of test sets, of images as they are and corrupted, as Markdown."""
    rows = [
        "## Scores",
        "",
        "Squared error of a pixel, where the pixels of the training set have deviation 1:",
        "",
        f"| test set | pictures | read | numbers | {' | '.join(NAMES.values())} |",
        f"|---|---|---|---|{'---|' * len(NAMES)}",
    ]
    for name, one in stored.items():
        for read, errors in (("as they are", one["errors"]), ("spoilt", one["spoilt"])):
            if errors is not None:
                told = " | ".join(f"{errors[key]:.4f}" if errors[key] else "" for key in NAMES)
                rows.append(f"| {name} | {one['pictures']:,} | {read} | {one['code']} | {told} |")
    one = next(iter(stored.values()))
    rows += ["", f"PCA: {one['components']} components of {one['fitted']:,} training pictures."]
    return "\n".join(rows) + "\n\n![What is rebuilt of unseen pictures](reconstructions.png)"
