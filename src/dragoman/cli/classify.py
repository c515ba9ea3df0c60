"""`dragoman classify`."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from dragoman.tasks.common.classes import ClassPrediction

WINDOW = 2000  # lines classified together: enough for good batches, little enough to stream


def classify(
    run: Annotated[Path, typer.Argument(help="The run folder of a classifier.")],
    texts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TEXT", help="Texts or image files; without any, each line of stdin is one."
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Print the probability of every class.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")] = False,
) -> None:
    """Classify texts or images: one line each, in order, with the class and its probability."""
    from dragoman.data.formats.text_stream import text_lines, windows

    ask = _asker(run)
    together = 1 if not texts and sys.stdin.isatty() else WINDOW  # a person wants an answer
    for window in windows(texts or text_lines(sys.stdin.buffer, "stdin"), together):
        for text, one in zip(window, ask(window), strict=True):
            if as_json:
                whole = {
                    "text": text,
                    "label": one.label,
                    "probability": one.probability,
                    "probabilities": one.probabilities,
                }
                print(json.dumps(whole, ensure_ascii=False))
                continue
            print(f"{one.label}\t{one.probability:.4f}\t{text}")
            if every:
                by_share = sorted(one.probabilities.items(), key=lambda item: -item[1])
                for label, share in by_share:
                    print(f"  {share:.4f}\t{label}")
        sys.stdout.flush()


def _asker(run: Path) -> "Callable[[list[str]], list[ClassPrediction]]":
    """Load a classifier, and return what answers for some texts or files."""
    from dragoman.config.reading import read_recipe
    from dragoman.engine.checkpoint.folder import trained_run

    if read_recipe(trained_run(run).recipe).task.kind == "image-classification":
        from dragoman.tasks.image_classification.classifier import ImageClassifier

        pictures = ImageClassifier.load(run)
        return lambda names: pictures.classify_files([Path(name) for name in names])
    from dragoman.tasks.text_classification.classifier import Classifier

    return Classifier.load(run).classify
