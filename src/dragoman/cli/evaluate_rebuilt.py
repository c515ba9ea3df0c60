"""`dragoman evaluate` for autoencoders."""

from pathlib import Path
from typing import TYPE_CHECKING

from dragoman.cli.judged import print_json

if TYPE_CHECKING:
    from dragoman.tasks.autoencoding.evaluate import ReconstructionEvaluation


def evaluate_rebuilt_run(run: Path, folders: list[Path], as_json: bool) -> None:
    """Print how much of unseen pictures is rebuilt, beside PCA and the mean picture."""
    from dragoman.core.console import progress_bar
    from dragoman.tasks.autoencoding.evaluate import FIGURE, evaluate_reconstruction
    from dragoman.tasks.common.image_preparation import images_to_test

    total = sum(map(len, images_to_test(run, folders).values()))
    with progress_bar("rebuilding", total) as bar:
        judged = evaluate_reconstruction(run, folders, bar.advance)
    if as_json:
        print_json(judged)
        return
    for one in judged:
        _print(one)
    if not folders:
        print(f"The pictures are in {run / FIGURE}")


def _print(one: "ReconstructionEvaluation") -> None:
    print(
        f"{one.name}: {one.pictures:,} pictures, {one.code} numbers each; "
        "squared error of a pixel and share of the variance that is rebuilt"
    )
    for read, errors in (("", one.whole), (", from spoilt ones", one.spoilt)):
        if errors is None:
            continue
        rows = [
            ("autoencoder", errors.network),
            (f"PCA, {one.components} components", errors.pca),
            ("mean picture", errors.mean),
        ]
        if read:
            rows.append(("left as they are", errors.given))
        for name, error in rows:
            print(f"  {name + read:<40} {error:.4f}  {errors.explained(error):7.1%}")
