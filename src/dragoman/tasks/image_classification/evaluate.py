"""Judging a classifier of images on its test set, or on folders of images of its classes."""

from collections.abc import Callable, Sequence
from pathlib import Path

from dragoman.data.batching.image_sets import load_images
from dragoman.data.batching.image_store import ImageStore
from dragoman.engine.checkpoint.folder import trained_run
from dragoman.tasks.common.card import store_scores
from dragoman.tasks.common.classes import ClassificationEvaluation, compare_classes
from dragoman.tasks.common.image_preparation import images_to_test
from dragoman.tasks.image_classification.classifier import ImageClassifier
from dragoman.tasks.image_classification.report import REPORT

UNIT = "images"


def score_images(
    classifier: ImageClassifier,
    store: ImageStore,
    name: str,
    sizes: dict[str, int],
    after_batch: Callable[[int], None] | None = None,
) -> ClassificationEvaluation:
    """Classify the images of a store and compare."""
    answers = classifier.classify(store.images, after_batch=after_batch)
    true = [classifier.classes[number] for number in store.classes]
    return compare_classes(name, answers, true, classifier.classes, sizes, UNIT)


def evaluate_images(
    run: Path, folders: Sequence[Path] = (), after_batch: Callable[[int], None] | None = None
) -> list[ClassificationEvaluation]:
    """Judge a classifier on its test set (or on given folders); store scores and card."""
    folder = trained_run(run)
    classifier = ImageClassifier.load(run)
    sizes = load_images(folder.data).classes
    judged = [
        score_images(classifier, store, name, sizes, after_batch)
        for name, store in images_to_test(run, folders).items()
    ]
    store_scores(folder, judged, REPORT, folders)
    return judged
